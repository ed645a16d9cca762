/**
 * Writes removed-features.json: what today's engines have more than old ones, by MDN's
 * compatibility data. The tests in `test/old-browsers/old-engines.test.ts` remove it.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  api,
  type Browser,
  builtins,
  type Data,
  DEFECTS_DO_NO_HARM,
  firstVersion,
} from './compatibility.ts';

/** iOS 14.5 has the engine of Safari 14.1, and iOS 12.2 the one of Safari 12.1. */
const ENGINES: Record<string, [browser: Browser, version: number]> = {
  'iOS 12.2': ['safari_ios', 12.2],
  'iOS 14.5': ['safari_ios', 14.5],
  'Safari 15.4': ['safari', 15.4],
  'Firefox 60': ['firefox', 60],
};

/** The interfaces of the platform that a checkout page and the library touch. */
const INTERFACES = [
  ...['AbortController', 'AbortSignal', 'Crypto', 'CustomEvent', 'Document', 'DocumentFragment'],
  ...['Element', 'Event', 'EventTarget', 'FormData', 'FormDataEvent', 'Headers'],
  ...['HTMLButtonElement', 'HTMLCollection', 'HTMLElement', 'HTMLFormElement', 'HTMLInputElement'],
  ...['HTMLSelectElement', 'KeyboardEvent', 'Location', 'MouseEvent', 'Navigator', 'Node'],
  ...['NodeList', 'Request', 'Response', 'ShadowRoot', 'SubmitEvent', 'SubtleCrypto'],
  ...['TextDecoder', 'TextEncoder', 'UIEvent', 'UserActivation', 'ValidityState', 'Window'],
];

/** The interfaces and built-ins that came after a version, and their members and events. */
function featuresSince(browser: Browser, version: number): string[] {
  const found: string[] = [];
  const note = (path: string, feature: Data) => {
    if (!feature.__compat || /_(parameter|event_handler)s?$/.test(path)) return;
    if (firstVersion(feature, browser) > version) found.push(path);
  };
  const parts = {
    ...Object.fromEntries(INTERFACES.map((name) => [name, api[name]!])),
    ...builtins,
  };
  for (const [name, part] of Object.entries(parts)) {
    note(name, part);
    for (const [member, feature] of Object.entries(part)) {
      if (member.startsWith('__') || DEFECTS_DO_NO_HARM.includes(member)) continue;
      note(`${name}.${member}`, feature as Data);
    }
  }
  return found.sort();
}

const lists = Object.fromEntries(
  Object.entries(ENGINES).map(([name, engine]) => [name, featuresSince(...engine)]),
);
const file = join(import.meta.dirname, 'removed-features.json');
writeFileSync(file, `${JSON.stringify(lists, null, 2)}\n`);
