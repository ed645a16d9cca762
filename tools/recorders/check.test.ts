/** What the check says of pages with real recorders. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RECORDERS } from './table.ts';
import { openVisits } from './visit.ts';

const OFF = 'data-cardseal-mask-for-recorders="off"';

let visits: Awaited<ReturnType<typeof openVisits>>;
beforeAll(async () => {
  visits = await openVisits();
});
afterAll(() => visits.close());

const leaking = RECORDERS.filter(({ recordsNoValues }) => !recordsNoValues);
const masked = RECORDERS.filter(({ mark, recordsNoValues }) => mark || recordsNoValues);

describe.each(RECORDERS)('beside $package', ({ name, flushMs = 1_500 }) => {
  const visit = { recorder: name, options: 'default', flushMs, check: true };

  test('names the shop’s script and line for a leak of the shop', async () => {
    const { report } = await visits.visit({ ...visit, leak: true });
    const ofShop = report.findings.filter(({ to }) => to === '/log');
    expect(ofShop).toMatchObject([
      { kind: 'clear text', way: 'fetch', site: { script: '/leak.js', line: 2 } },
    ]);
  });
});

describe.each(masked)('beside $package, $setting', ({ name, setting, flushMs = 1_500 }) => {
  test('finds nothing where all is masked, and sees the payment', async () => {
    const visit = { recorder: name, options: setting, flushMs, check: true };
    const { findings, notices, presses } = (await visits.visit(visit)).report;
    expect({ findings, notices }).toEqual({ findings: [], notices: [] });
    expect(presses.map(({ text }) => text)).toEqual([
      'A press of Pay: the card was encrypted, and the block left by fetch to /pay.',
    ]);
  });
});

describe.each(leaking)(
  'of $package, $setting, without marks',
  ({ name, setting, flushMs = 1_500 }) => {
    test('finds the number that left or is about to, and the recorder’s script', async () => {
      const visit = { recorder: name, options: setting, flushMs, check: true, form: OFF };
      const { findings } = (await visits.visit(visit)).report;
      const ofNumber = findings.filter(({ fields }) => fields?.includes('card number'));
      expect(ofNumber).not.toEqual([]);
      for (const { kind, site, advice } of ofNumber) {
        expect(kind).toMatch(/^(clear text|about to leave)$/);
        expect(site?.script).toBe('/recorder.js');
        expect(advice).toContain('recorder or tracker');
      }
    });
  },
);

describe.each([
  ['redux-persist', 'localStorage'],
  ['localforage', 'IndexedDB'],
])('beside %s', (recorder, way) => {
  test('finds nothing where it does not keep the card', async () => {
    const visit = { recorder, options: 'whitelist', check: true };
    const { findings, notices, presses } = (await visits.visit(visit)).report;
    expect({ findings, notices }).toEqual({ findings: [], notices: [] });
    expect(presses).toHaveLength(1);
  });

  test('finds the card that it keeps', async () => {
    const { findings } = (await visits.visit({ recorder, options: 'all', check: true })).report;
    expect(findings).toContainEqual(
      expect.objectContaining({
        kind: 'clear text',
        way,
        advice: expect.stringContaining('out of what your page stores'),
      }),
    );
  });
});
