/**
 * What the check says of pages that record as session recorders do. They send in different ways, and
 * most compress, or leave it to a worker. `npm run recorders` tries the real ones.
 */
import { expect, test } from 'vitest';
import { keyAttribute } from '../support/tag-page.ts';
import { CHECK, open, scriptFile, storedReport } from './page.ts';

interface Recorder {
  /** The attribute of controls that it does not record; empty if it heeds none. */
  mark: string;
  /** What it does with a list of texts. */
  send: string;
  /** How a finding says it. */
  kind: 'clear text' | 'about to leave';
  way: string;
}

const [RRWEB, WORKER] = ['data-rr-is-password', `new Worker('data:text/javascript,')`];

const RECORDERS: Record<string, Recorder> = {
  rrweb: {
    mark: RRWEB,
    send: `fetch('https://rr.invalid/', { method: 'POST', body: JSON.stringify(it) }).catch(Object)`,
    kind: 'clear text',
    way: 'fetch',
  },
  Sentry: {
    mark: RRWEB,
    send: `${WORKER}.postMessage({ id: 1, arg: JSON.stringify(it) })`,
    kind: 'about to leave',
    way: 'JSON.stringify',
  },
  PostHog: {
    mark: RRWEB,
    send: `new TextEncoder().encode('[' + it.join() + ']')`,
    kind: 'about to leave',
    way: 'TextEncoder',
  },
  Datadog: {
    mark: 'data-dd-privacy',
    send: `${WORKER}.postMessage({ action: 'write', data: it.join() })`,
    kind: 'about to leave',
    way: 'Worker',
  },
  OpenReplay: {
    mark: 'data-openreplay-obscured',
    send: `new MessageChannel().port1.postMessage(it.map(function (text) { return [20, 1, text]; }))`,
    kind: 'about to leave',
    way: 'MessagePort',
  },
  Rollbar: {
    mark: '',
    send: `var request = new XMLHttpRequest();
    request.open('POST', 'https://rr.invalid/');
    request.send(JSON.stringify({ telemetry: it }))`,
    kind: 'clear text',
    way: 'XMLHttpRequest',
  },
};

/** Like all of them, it wraps functions of the platform. */
const scriptOf = ({ mark, send }: Recorder) => `(function () {
  var texts = [];
  var own = { fetch: fetch };
  fetch = function (input, init) { return own.fetch.call(window, input, init); };
  document.addEventListener('input', function (event) {
    var control = event.target;
    if (!${JSON.stringify(mark)} || !control.hasAttribute(${JSON.stringify(mark)})) {
      texts.push(control.value);
    }
  }, true);
  window.flush = function () {
    return new Promise(function (resolve) {
      setTimeout(function () {
        var it = texts.splice(0);
        ${send};
        resolve(it);
      });
    });
  };
})();`;

/** A shopper types and pays. What was recorded, and what the check has found. */
async function payBeside(recorder: Recorder, attributes = '') {
  const script = scriptFile(scriptOf(recorder), 'recorder.js');
  const { page, window } = await open({
    isBound: true,
    check: CHECK + script.tag,
    attributes: `${keyAttribute()} ${attributes}`,
    extra: '<input id="city" name="city" value="Cork">',
  });
  page.fill();
  for (const control of [page.document.querySelector('#city')!, ...page.controls()]) {
    control.dispatchEvent(new window.Event('input', { bubbles: true }));
  }
  const recorded = await (Reflect.get(window, 'flush') as () => Promise<string[]>)();
  await page.pay();
  return { recorded, script: script.path, ...storedReport() };
}

const PAID = [{ text: expect.stringContaining('the block left by form') }];

const heeding = Object.entries(RECORDERS).filter(([, { mark }]) => mark);

test.each(heeding)(
  'a page that records as %s is not accused if it heeds the marks',
  async (_, it) => {
    const { recorded, findings, notices, presses } = await payBeside(it);
    expect(recorded).toEqual(['Cork']);
    expect({ findings, notices }).toEqual({ findings: [], notices: [] });
    expect(presses).toMatchObject(PAID);
  },
);

test.each(Object.entries(RECORDERS))(
  'a page that records as %s is found if it records the card, and so is its script',
  async (_, recorder) => {
    const { kind, way, mark } = recorder;
    const without = mark && 'data-cardseal-mask-for-recorders="off"';
    const { recorded, findings, script, presses } = await payBeside(recorder, without);
    expect(recorded).toHaveLength(5);
    expect(findings).toMatchObject([
      { kind, way, fields: expect.arrayContaining(['card number']), site: { script } },
    ]);
    expect(findings[0]!.advice).toContain('This looks like a recorder or tracker');
    expect(presses).toMatchObject(PAID);
  },
);
