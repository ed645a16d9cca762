/**
 * Where each engine comes from: Playwright's own build if it is installed, else the system's browser, else an error. An engine is
 * never left out. Run as a script (by `npm test`), it installs what is missing.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, firefox, webkit } from 'playwright';

export type Engine = 'chromium' | 'firefox' | 'webkit';
export const ENGINES: readonly Engine[] = ['chromium', 'firefox', 'webkit'];

export interface Found {
  from: 'playwright' | 'system';
  /** The browser's executable. */
  path: string;
  /** With the system's WebKit: a virtual display, and the WebDriver server. */
  xvfb?: string;
  driver?: string;
}

const DEBIAN_PACKAGES: Record<Engine, string[]> = {
  chromium: ['chromium'],
  firefox: ['firefox-esr'],
  webkit: ['webkit2gtk-driver', 'xvfb'],
};

/** TEST_BROWSERS=playwright or TEST_BROWSERS=system takes browsers only from there. */
export function find(engine: Engine): Found | undefined {
  const only = process.env.TEST_BROWSERS;
  if (only && only !== 'playwright' && only !== 'system') throw new Error(`TEST_BROWSERS is '${only}', neither 'playwright' nor 'system'`);
  const path = { chromium, firefox, webkit }[engine].executablePath();
  if (only !== 'system' && existsSync(path)) return { from: 'playwright', path };
  return only === 'playwright' ? undefined : findSystem(engine);
}

export function need(engine: Engine): Found {
  const found = find(engine);
  if (found) return found;
  const debian = `apt-get install ${DEBIAN_PACKAGES[engine].join(' ')}`;
  throw new Error(`No ${engine} to test in. Run 'npx playwright install --with-deps ${engine}', or on Debian '${debian}'.`);
}

function findSystem(engine: Engine): Found | undefined {
  if (engine === 'webkit') {
    const [path, xvfb, driver] = [miniBrowser(), onPath('Xvfb'), onPath('WebKitWebDriver')];
    return path && xvfb && driver ? { from: 'system', path, xvfb, driver } : undefined;
  }
  const names =
    engine === 'firefox' ? ['firefox-esr', 'firefox'] : ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
  const path = onPath(...names);
  return path ? { from: 'system', path } : undefined;
}

function miniBrowser(): string | undefined {
  const libraries = existsSync('/usr/lib') ? readdirSync('/usr/lib').filter((name) => name.endsWith('-linux-gnu')) : [];
  const roots = ['/usr/libexec', '/usr/lib', ...libraries.map((name) => join('/usr/lib', name))];
  const versions = ['webkit2gtk-4.1', 'webkit2gtk-4.0', 'webkitgtk-6.0'];
  return roots.flatMap((root) => versions.map((version) => join(root, version, 'MiniBrowser'))).find(isExecutable);
}

function onPath(...names: string[]) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function isExecutable(path: string) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function install() {
  const missing = () => ENGINES.filter((engine) => !find(engine));
  const only = process.env.TEST_BROWSERS;
  if (missing().length && only !== 'system') {
    const withLibraries = process.getuid?.() === 0 ? ['--with-deps'] : []; // they are Debian packages, for root to install
    run(process.execPath, [join(import.meta.dirname, '../../node_modules/playwright/cli.js'), 'install', ...withLibraries, ...missing()]);
  }
  if (missing().length && only !== 'playwright' && process.getuid?.() === 0 && onPath('apt-get')) {
    run('apt-get', ['update', '-qq']);
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing().flatMap((engine) => DEBIAN_PACKAGES[engine])]);
  }
  try {
    for (const engine of ENGINES) console.log(`${engine}: ${need(engine).path}`);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}

function run(command: string, args: string[]) {
  console.log(`Installing what is missing: ${[command, ...args].join(' ')}`);
  spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) install();
