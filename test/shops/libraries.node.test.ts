import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LIBRARIES } from './libraries.ts';

const json = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

test('a package.json names each library that the shops load, and its version', () => {
  // What only another package needs may change its major version: jQuery 4 broke three shops.
  const installedHere = json('package-lock.json').packages;
  for (const file of Object.values(LIBRARIES)) {
    const name = /^(@[^/]+\/)?[^/]+/.exec(file)![0];
    const isHere = `node_modules/${name}` in installedHere; // the server looks here first
    const { dependencies, devDependencies } = json(isHere ? 'package.json' : '../../package.json');
    expect({ ...devDependencies, ...dependencies }[name], name).toMatch(/^\d+\.\d+\.\d+$/);
  }
});
