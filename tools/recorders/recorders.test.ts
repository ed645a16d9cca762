/**
 * What real recorders upload of a page where a shopper pays: with the marks of
 * `src/form/page/marks.ts`, without them, and with one of them in the HTML of the page.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RECORDERS } from './table.ts';
import { openVisits } from './visit.ts';

const OFF = 'data-cardseal-mask-for-recorders="off"';

let visits: Awaited<ReturnType<typeof openVisits>>;
beforeAll(async () => {
  visits = await openVisits();
});
afterAll(() => visits.close());

const masked = RECORDERS.filter(({ mark }) => mark !== undefined);
const silent = RECORDERS.filter(({ recordsNoValues }) => recordsNoValues);

describe.each(masked)('$package, $setting', ({ name, setting, mark = '', flushMs = 1_500 }) => {
  const visit = { recorder: name, options: setting, flushMs };

  test('uploads an ordinary field, and nothing of card and block', async () => {
    expect((await visits.visit(visit)).held).toEqual(['city']);
  });

  test('uploads the card if the marks are switched off', async () => {
    const { held } = await visits.visit({ ...visit, form: OFF });
    expect(held).toEqual(expect.arrayContaining(['number', 'name', 'city']));
  });

  test('uploads nothing of the card if the HTML has its own mark alone', async () => {
    const { held } = await visits.visit({ ...visit, form: OFF, control: mark });
    expect(held.filter((what) => what !== 'block')).toEqual(['city']);
  });
});

describe('rollbar, which honours no mark', () => {
  test('uploads the card by default', async () => {
    const { held } = await visits.visit({ recorder: 'rollbar', options: 'default' });
    expect(held).toEqual(['number', 'name', 'expiry', 'code', 'city']);
  });

  test('uploads no field with scrubTelemetryInputs', async () => {
    expect((await visits.visit({ recorder: 'rollbar', options: 'scrub' })).held).toEqual([]);
  });
});

test.each(silent)('$package uploads no field', async ({ name, setting }) => {
  const { held, uploads } = await visits.visit({ recorder: name, options: setting, form: OFF });
  expect(uploads).not.toEqual([]);
  expect(held).toEqual([]);
});

/** What is uploaded although `autocomplete` is there, and the ways to write it that are marks. */
const BESIDE_AUTOCOMPLETE = {
  datadog: { left: ['city'], marks: ['cc-number', 'none'] },
  mixpanel: { left: ['city'], marks: ['cc-number', 'none', 'billing cc-number'] },
  amplitude: { left: ['block', 'city'], marks: ['cc-number', 'none'] },
  sentry: { left: ['name', 'block', 'city'], marks: ['cc-number', 'none'] },
} as const;

describe.each(Object.entries(BESIDE_AUTOCOMPLETE))('beside %s, autocomplete', (recorder, it) => {
  const { flushMs = 1_500 } = RECORDERS.find(({ name }) => name === recorder)!;

  // The form gives its word to a control that has none.
  test.each(['cc-number', 'none', 'billing cc-number'] as const)('%s', async (autocomplete) => {
    const visit = { recorder, options: 'open', form: OFF, flushMs, autocomplete };
    const { held } = await visits.visit(visit);
    const isMark = it.marks.some((mark) => mark === autocomplete);
    expect(held).toEqual(isMark ? it.left : expect.arrayContaining(['number', 'code']));
  });
});

const ofBlock = masked.filter(({ recordsBlock }) => recordsBlock);

test.each(ofBlock)(
  '$package uploads the block by default, without marks',
  async ({ name, flushMs = 1_500 }) => {
    const { held } = await visits.visit({ recorder: name, options: 'default', flushMs, form: OFF });
    expect(held).toEqual(['block']);
  },
);

describe.each(['redux-persist', 'localforage'])('%s', (recorder) => {
  test('keeps number and code after the payment', async () => {
    const { kept } = await visits.visit({ recorder, options: 'all' });
    expect(kept).toEqual(['number', 'name', 'expiry', 'code', 'city']);
  });

  test('keeps nothing of the card that it is not told to keep', async () => {
    expect((await visits.visit({ recorder, options: 'whitelist' })).kept).toEqual(['city']);
  });
});
