/**
 * What today's engines have more than old ones, by MDN's compatibility data. The tests in
 * `test/old-browsers/old-engines.test.ts` remove it. Node only; browsers read the list from a file.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, featuresSince } from './compatibility.ts';

/** iOS 14.5 has the engine of Safari 14.1, and iOS 12.2 the one of Safari 12.1. */
const ENGINES: Record<string, [browser: Browser, version: number]> = {
  'iOS 12.2': ['safari_ios', 12.2],
  'iOS 14.5': ['safari_ios', 14.5],
  'Safari 15.4': ['safari', 15.4],
  'Firefox 60': ['firefox', 60],
};

/** The interfaces of the platform that a checkout page and the library touch. */
const INTERFACES = [
  ...[
    'AbortController',
    'AbortSignal',
    'Crypto',
    'CustomEvent',
    'Document',
    'DocumentFragment',
    'Element',
  ],
  ...[
    'Event',
    'EventTarget',
    'FormData',
    'FormDataEvent',
    'Headers',
    'HTMLButtonElement',
    'HTMLCollection',
  ],
  ...[
    'HTMLElement',
    'HTMLFormElement',
    'HTMLInputElement',
    'HTMLSelectElement',
    'KeyboardEvent',
    'Location',
  ],
  ...[
    'MouseEvent',
    'Navigator',
    'Node',
    'NodeList',
    'Request',
    'Response',
    'ShadowRoot',
    'SubmitEvent',
  ],
  ...[
    'SubtleCrypto',
    'TextDecoder',
    'TextEncoder',
    'UIEvent',
    'UserActivation',
    'ValidityState',
    'Window',
  ],
];

const FILE = join(import.meta.dirname, 'removed-features.json');

/** As it is in the file. */
export function removedFeatures(): string {
  const lists: Record<string, string[]> = {};
  for (const [name, [browser, version]] of Object.entries(ENGINES)) {
    lists[name] = featuresSince(browser, version, INTERFACES);
  }
  return `${JSON.stringify(lists, null, 2)}\n`;
}

export const readRemovedFeatures = () => readFileSync(FILE, 'utf8');

export const writeRemovedFeatures = () => writeFileSync(FILE, removedFeatures());
