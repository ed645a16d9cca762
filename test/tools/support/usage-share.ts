/** The share of usage that the promised browsers have, by the data of caniuse. Node only. */
import { createRequire } from 'node:module';
import { FLOOR } from './compatibility.ts';

type Usage = Record<string, number | null>;

/** What is used of the package, which has no types. */
interface Caniuse {
  agents: Record<string, { usage_global: Usage }>;
  features: Record<string, unknown>;
  feature(packed: unknown): { stats: Record<string, Record<string, string>> };
  region(packed: unknown): Record<string, Usage>;
}

const require = createRequire(import.meta.url);
const { agents, feature, features, region }: Caniuse = require('caniuse-lite');

/** The names of caniuse, and the first versions with the engine of the floor. */
const FIRST: Record<string, number> = {
  chrome: FLOOR.chrome,
  edge: FLOOR.edge,
  firefox: FLOOR.firefox,
  safari: FLOOR.safari,
  ios_saf: FLOOR.safari_ios,
  opera: 51, // Chromium 64
  samsung: 9, // Chromium 67; 8 is Chromium 63
};

/** Browsers with version numbers of their own. They count if caniuse says that they have these. */
const DECIDING = ['async-functions', 'cryptography', 'textencoder', 'es6-module'];

const REGIONS = ['DE', 'BR', 'US', 'JP'];
const REGION_NAMES: Record<string, string> = {
  DE: 'Germany',
  BR: 'Brazil',
  US: 'United States',
  JP: 'Japan',
};

/** By name of the region: the percentage of the usage that caniuse can tell the browser of. */
export function shares(): Record<string, number> {
  const world: Record<string, Usage> = {};
  for (const [agent, data] of Object.entries(agents)) world[agent] = data.usage_global;
  const result: Record<string, number> = { world: share(world) };
  for (const code of REGIONS) {
    const packed = require(`caniuse-lite/data/regions/${code}.js`);
    result[REGION_NAMES[code]!] = share(region(packed));
  }
  return result;
}

/** The version of the data, for example 1.0.30001826. */
export const usageVersion: string = require('caniuse-lite/package.json').version;

function share(usage: Record<string, Usage>): number {
  let all = 0;
  let covered = 0;
  for (const [agent, versions] of Object.entries(usage)) {
    for (const [version, percentage] of Object.entries(versions)) {
      all += percentage ?? 0;
      if (isCovered(agent, version)) covered += percentage ?? 0;
    }
  }
  return (100 * covered) / all;
}

function isCovered(agent: string, version: string): boolean {
  const first = FIRST[agent];
  if (first === undefined) return DECIDING.every((name) => supports(name, agent, version));
  // '0' and 'TP' stand for the current version, and '12.2-12.5' for all of these.
  const isCurrent = version === '0' || version === 'TP';
  return isCurrent || Number.parseFloat(version) >= first;
}

function supports(name: string, agent: string, version: string): boolean {
  const stats = feature(features[name]!).stats[agent]!;
  const newest = Object.keys(stats).sort((a, b) => Number.parseFloat(b) - Number.parseFloat(a))[0]!;
  return stats[version === '0' ? newest : version]!.startsWith('y');
}
