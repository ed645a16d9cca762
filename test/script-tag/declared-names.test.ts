/** Pages whose own scripts declare names that the platform has. `test/package/page-names.node.test.ts` reads the sources. */
import { describe, expect, test } from 'vitest';
import { decrypt } from '../support/core.ts';
import { CARD } from '../support/form.ts';
import { TAG, visit } from '../support/tag-page.ts';

const page = (declaration: string, isFirst: boolean) => {
  const script = `<script>${declaration}</script>`;
  return visit({ head: isFirst ? script + TAG : TAG + script });
};

async function expectPaid(declaration: string, isFirst: boolean) {
  const { pay, window } = await page(declaration, isFirst);
  const [block] = await pay();
  expect(await decrypt(JSON.parse(block![1]))).toEqual(CARD);
  expect(window.seen ?? []).toEqual([]);
}

const NAMES = [
  ...['AbortController', 'CustomEvent', 'Document', 'Element', 'Event', 'EventTarget', 'FormData'],
  ...['Headers', 'HTMLElement', 'HTMLFormElement', 'HTMLInputElement', 'MutationObserver', 'Node'],
  ...['Option', 'Request', 'Response', 'Text', 'URL', 'Window'],
];

/** Those that the library reaches by an object in hand: a `var` takes them from the window, too. */
const IN_HAND = [
  ...['Document', 'Element', 'Event', 'EventTarget', 'FormData', 'Headers', 'HTMLElement'],
  ...['HTMLFormElement', 'HTMLInputElement', 'Node', 'Option', 'URL'],
];

const NO_OBJECTS = ['function CustomEvent() {}', 'function MutationObserver() {}'];

describe.each([
  ['before', true],
  ['after', false],
])('a page pays that declares, %s the library,', (_, isFirst) => {
  test.each<[string, string[]]>([
    ['const', NAMES.map((name) => `const ${name} = '/api';`)],
    ['class', NAMES.map((name) => `class ${name} {}`)],
    ['var', IN_HAND.map((name) => `var ${name} = '/api';`)],
    ['function', IN_HAND.map((name) => `function ${name}() {}`)],
    ['functions that make no event, and no observer:', NO_OBJECTS],
  ])('%s %j', (_, declarations) => expectPaid(declarations.join(' '), isFirst));
});

// `function Map` stands in many an older shop script.
test.each(['const Map = {};', 'class Map {}', 'function Map() { this.elements = []; }'])(
  'a page pays that declares, after the library, %s',
  (declaration) => expectPaid(declaration, false),
);
