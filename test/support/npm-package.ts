/**
 * Packages that are too large to be devDependencies: old browsers, old compilers.
 * They are fetched when they are needed, and kept in `.cache/`, which git ignores.
 */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const CACHE = join(import.meta.dirname, '../../.cache');

export interface NpmPackage {
  /** Name and exact version, for example `typescript@5.0.4`. */
  spec: string;
  /** The hash that npm's registry states for the package. */
  integrity: string;
}

/** The path of the package's tarball. Throws if it does not match its hash. */
export async function fetchPackage({ spec, integrity }: NpmPackage): Promise<string> {
  const file = join(
    CACHE,
    `${spec
      .replace(/^@/, '')
      .replace('/', '-')
      .replace(/@(?=[^@]*$)/, '-')}.tgz`,
  );
  if (!existsSync(file)) {
    mkdirSync(CACHE, { recursive: true });
    await promisify(execFile)('npm', ['pack', spec, '--silent', '--pack-destination', CACHE]);
  }
  const hash = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
  if (hash !== integrity) throw new Error(`${file} is not ${spec}: delete it and try again`);
  return file;
}

/** The names of the files in a tarball. */
export function listFiles(tarball: string): string[] {
  return execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).split('\n');
}

/** The contents of one file of a tarball. */
export function readPacked(tarball: string, name: string): Buffer {
  return execFileSync('tar', ['-xzOf', tarball, name], { maxBuffer: 2 ** 30 });
}

/** Unpacks a tarball into a folder of the cache, once, and gives the folder. */
export function unpack(tarball: string): string {
  const folder = tarball.replace(/\.tgz$/, '');
  if (!existsSync(join(folder, 'package/package.json'))) {
    mkdirSync(folder, { recursive: true });
    execFileSync('tar', ['-xzf', tarball, '-C', folder]);
  }
  return folder;
}
