/** The check cannot become a danger: it does nothing on other hosts, and looks for test cards only. */
import { expect, test } from 'vitest';
import checkPage from '../../docs/check.md?raw';
import tagOfDocument from '../documents/snippets/check.html?raw';
import { TAG, visit } from '../tools/support/tag-page.ts';
import { CHECK, open, pause, scriptFile } from './page.ts';

const LEAK = `function leak() {
  fetch('/sent/none', { method: 'POST', body: document.querySelector('#number').value });
}`;

/** A number with a right check digit that nobody has published for tests. */
const OTHER_NUMBER = '4929 0000 0000 0109';

test('does nothing but one warning on a host that is not named', async () => {
  // The document of `srcdoc` has no host.
  const page = await visit({ head: CHECK + TAG, srcdoc: true, tail: scriptFile(LEAK).tag });
  expect(page.seen).toEqual([expect.stringContaining('does nothing here')]);
  expect(page.window.CardsealCheck).toBeUndefined();
  for (const name of ['fetch', 'postMessage', 'open'] as const) {
    expect(String(page.window[name])).toContain('[native code]');
  }
  expect(String(page.window.HTMLFormElement.prototype.submit)).toContain('[native code]');
});

test('control: on this host the functions are watched', async () => {
  const page = await open();
  expect(String(page.window.fetch)).not.toContain('[native code]');
});

test('with another number it says so, once, and looks at nothing', async () => {
  const page = await open({ script: LEAK });
  page.page.fill();
  page.page.control('number').value = OTHER_NUMBER;
  for (let i = 0; i < 3; i++) page.window.leak();
  await pause(100);
  expect(page.report()).toEqual({
    findings: [],
    presses: [],
    notices: [expect.stringContaining('a card number that is no test number')],
  });
  expect(page.seen.filter((text) => text.includes('no test number'))).toHaveLength(1);
  expect(page.list()).toContain('no test number');
  // As soon as a test number stands there, it looks again.
  page.page.fill();
  page.window.leak();
  expect(await page.found()).toHaveLength(1);
});

test('looks at a number that was named for tests, and at no other one', async () => {
  const check = `<script src="/dist/cardseal.check.js" data-test-numbers="${OTHER_NUMBER}"></script>`;
  const page = await open({ script: LEAK, check });
  page.page.control('number').value = OTHER_NUMBER;
  page.window.leak();
  expect(await page.found()).toHaveLength(1);
});

test('a fault of the check is none of the page', async () => {
  const page = await open({ script: LEAK });
  page.page.fill();
  const trap = { toString: () => 'x' };
  Object.defineProperty(trap, 'toJSON', {
    get: () => {
      throw new Error('trap');
    },
  });
  page.window.postMessage(trap.toString(), '*');
  expect(() => page.window.history.replaceState({}, '')).not.toThrow();
  await expect(
    page.window.fetch('/sent/none', { body: undefined as never }),
  ).resolves.toBeDefined();
  expect(() => page.window.fetch.call(page.window, 'http://[')).not.toThrow();
});

test('the second copy of the tag does nothing', async () => {
  const page = await open({ check: CHECK + CHECK, script: LEAK });
  page.page.fill();
  page.window.leak();
  await page.found();
  await pause(100);
  expect(page.report().findings).toHaveLength(1);
});

test('the tag of docs/check.md looks at published numbers', async () => {
  expect(checkPage).toContain(`\`\`\`html\n${tagOfDocument}\`\`\``);
  const page = await open({ script: LEAK, check: tagOfDocument });
  page.page.control('number').value = '4242 4242 4242 4242';
  page.window.leak();
  expect(await page.found()).toHaveLength(1);
});
