/**
 * Where each engine comes from: Playwright's own build if it is installed, else the system's
 * browser, else an error. Run as a script, it installs what is missing.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, firefox, webkit } from 'playwright';

export type Engine = 'chromium' | 'firefox' | 'webkit';
export const ENGINES: readonly Engine[] = ['chromium', 'firefox', 'webkit'];

/** The engines that a test project needs. The tests from end to end run in all of them. */
export const ENGINES_OF: Record<string, readonly Engine[]> = {
  node: [],
  chromium: ['chromium'],
  firefox: ['firefox'],
  webkit: ['webkit'],
  shops: ENGINES,
  e2e: ENGINES,
};

export interface Found {
  from: 'playwright' | 'system';
  /** The browser's executable. */
  path: string;
  /** The X server, with the system's WebKit only. */
  xvfb?: string;
  /** The WebDriver server, with the system's WebKit only. */
  driver?: string;
}

const DEBIAN_PACKAGES: Record<Engine, string[]> = {
  chromium: ['chromium', 'chromium-headless-shell'],
  firefox: ['firefox-esr'],
  webkit: ['webkit2gtk-driver', 'xvfb'],
};

/** Set TEST_BROWSERS to `playwright` or `system` to take browsers from there only. */
function onlyFrom(): string | undefined {
  const only = process.env.TEST_BROWSERS;
  if (only && only !== 'playwright' && only !== 'system') {
    throw new Error(`TEST_BROWSERS is '${only}'. It must be 'playwright' or 'system'.`);
  }
  return only;
}

export function find(engine: Engine): Found | undefined {
  const only = onlyFrom();
  const path = { chromium, firefox, webkit }[engine].executablePath();
  if (only !== 'system' && existsSync(path)) return { from: 'playwright', path };
  return only === 'playwright' ? undefined : findSystem(engine);
}

/** Finds the engine, or throws an error that says how to install it. */
export function need(engine: Engine): Found {
  const found = find(engine);
  if (!found) throw new Error(howToInstall([engine]));
  return found;
}

export const missing = (engines: readonly Engine[]) => engines.filter((engine) => !find(engine));

/** Three lines at most, however many engines are missing. */
export function howToInstall(engines: readonly Engine[]): string {
  const packages = engines.flatMap((engine) => DEBIAN_PACKAGES[engine]);
  return [
    `These browsers are missing: ${engines.join(', ')}.`,
    `Install them: npx playwright install --with-deps ${engines.join(' ')}`,
    `Or on Debian: apt-get install ${packages.join(' ')}`,
  ].join('\n');
}

function findSystem(engine: Engine): Found | undefined {
  if (engine === 'webkit') {
    const [path, xvfb, driver] = [miniBrowser(), onPath('Xvfb'), onPath('WebKitWebDriver')];
    return path && xvfb && driver ? { from: 'system', path, xvfb, driver } : undefined;
  }
  if (engine === 'firefox') {
    const path = onPath('firefox-esr', 'firefox');
    return path ? { from: 'system', path } : undefined;
  }
  // Without windows, it takes a third less processor time. Playwright's own build is the same one.
  const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
  const path = onPath('chromium-headless-shell', ...names);
  return path ? { from: 'system', path } : undefined;
}

function miniBrowser(): string | undefined {
  const folders = existsSync('/usr/lib') ? readdirSync('/usr/lib') : [];
  const libraries = folders.filter((name) => name.endsWith('-linux-gnu'));
  const roots = ['/usr/libexec', '/usr/lib', ...libraries.map((name) => join('/usr/lib', name))];
  const versions = ['webkit2gtk-4.1', 'webkit2gtk-4.0', 'webkitgtk-6.0'];
  return roots
    .flatMap((root) => versions.map((version) => join(root, version, 'MiniBrowser')))
    .find(isExecutable);
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

/** Installs those of the engines that are missing. Returns whether all are there now. */
export function install(engines: readonly Engine[]): boolean {
  const only = onlyFrom();
  const isRoot = process.getuid?.() === 0;
  if (missing(engines).length && only !== 'system') {
    const playwright = join(import.meta.dirname, '../../node_modules/playwright/cli.js');
    const withLibraries = isRoot ? ['--with-deps'] : []; // Debian packages: only root installs them
    run(process.execPath, [playwright, 'install', ...withLibraries, ...missing(engines)]);
  }
  if (missing(engines).length && only !== 'playwright' && isRoot && onPath('apt-get')) {
    const packages = missing(engines).flatMap((engine) => DEBIAN_PACKAGES[engine]);
    const waitForOthers = ['-o', 'DPkg::Lock::Timeout=300'];
    run('apt-get', ['update', '-qq']);
    run('apt-get', [...waitForOthers, 'install', '-yqq', '--no-install-recommends', ...packages]);
  }
  const stillMissing = missing(engines);
  if (stillMissing.length) console.error(howToInstall(stillMissing));
  return stillMissing.length === 0;
}

function run(command: string, args: string[]) {
  console.log(`Installing missing browsers: ${[command, ...args].join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync(command, args, { stdio: 'inherit', env });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (!install(ENGINES)) process.exitCode = 1;
  else for (const engine of ENGINES) console.log(`${engine}: ${need(engine).path}`);
}
