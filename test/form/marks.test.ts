/**
 * G18: the marks by which recorders know what they may not record. The page records here as recorders
 * do; `npm run recorders` tries the real ones.
 */
import { describe, expect, test } from 'vitest';
import { bind, CARD, fill, html, later, open, type Page, posted, TYPED } from '../support/form.ts';

const MARKS = {
  'data-rr-is-password': 'true',
  'data-dd-privacy': 'mask',
  'data-openreplay-obscured': '',
};
const CITY = '<label>City <input name="city"></label>';

const marksOf = (control: Element) =>
  Object.fromEntries(Object.keys(MARKS).map((name) => [name, control.getAttribute(name)]));
const NONE = Object.fromEntries(Object.keys(MARKS).map((name) => [name, null]));
const hiddenInput = ({ form }: Page) => form.querySelector('[name=encrypted_card]')!;

describe('marks', () => {
  test('stand on the controls of the card at once, and on no other', () => {
    const page = open(CITY + html());
    bind(page.form);
    const [city, ...card] = page.form.querySelectorAll('input');
    expect(card.map(marksOf)).toEqual([MARKS, MARKS, MARKS, MARKS]);
    expect(marksOf(city!)).toEqual(NONE);
  });

  test('stand on the hidden input of the page at once, which may hold a block', () => {
    const page = open(`${html()}<input type="hidden" name="encrypted_card" value="{}">`);
    bind(page.form);
    expect(marksOf(hiddenInput(page))).toEqual(MARKS);
  });

  test('do not replace what the page has chosen', () => {
    const page = open(html().replace('<input', '<input data-dd-privacy="hidden"'));
    bind(page.form);
    expect(marksOf(page.controls()[0]!)).toEqual({ ...MARKS, 'data-dd-privacy': 'hidden' });
  });

  test('stay after the end of the binding, for the values stay, too', () => {
    const page = open();
    bind(page.form).unbind();
    expect(marksOf(page.controls()[0]!)).toEqual(MARKS);
  });

  test('are left out if the option says so', async () => {
    const page = open();
    bind(page.form, { maskForRecorders: false });
    fill(page);
    let found: object[] = [];
    page.form.addEventListener('submit', () => {
      found = [...page.controls(), hiddenInput(page)].map(marksOf);
    });
    await posted(page);
    expect(found).toEqual([NONE, NONE, NONE, NONE, NONE]);
  });

  test.each(['focusin', 'input', 'change'])(
    'stand on controls that are rendered anew, before a listener hears of %s',
    (type) => {
      const page = open();
      bind(page.form);
      page.form.innerHTML = html();
      let found: object = {};
      const listen = ({ target }: Event) => {
        found = marksOf(target as Element);
      };
      document.addEventListener(type, listen, true);
      later(() => document.removeEventListener(type, listen, true));
      page.controls()[0]!.dispatchEvent(new Event(type, { bubbles: true, composed: true }));
      expect(found).toEqual(MARKS);
    },
  );
});

/** How recorders know that they may not record a control: by one of the marks each. */
const RECORDERS: Record<string, (control: Element) => boolean> = {
  'rrweb, and those that contain it': (it) => it.hasAttribute('data-rr-is-password'),
  Datadog: (it) => it.getAttribute('data-dd-privacy') === 'mask',
  OpenReplay: (it) => it.hasAttribute('data-openreplay-obscured'),
};

/**
 * Records a page: what stands there, what is typed, what scripts set, and what changes in the
 * document.
 */
function record(root: HTMLElement, isMasked: (control: Element) => boolean) {
  const recorded: string[] = [];
  const note = (node: Node) => {
    if (!(node instanceof Element)) return;
    const controls = [node, ...node.querySelectorAll('*')] as HTMLInputElement[];
    for (const control of controls.filter((it) => it.matches('input') && !isMasked(it))) {
      recorded.push(control.value, control.getAttribute('value') ?? '');
    }
  };
  note(root);
  const onInput = ({ target }: Event) => note(target as Element);
  document.addEventListener('input', onInput, true);
  const observer = new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      for (const node of addedNodes) note(node);
      note(target);
    }
  });
  observer.observe(root, { attributes: true, childList: true, subtree: true });
  const { prototype } = HTMLInputElement;
  const descriptor = Object.getOwnPropertyDescriptor(prototype, 'value')!;
  Object.defineProperty(prototype, 'value', {
    ...descriptor,
    set(value) {
      descriptor.set!.call(this, value);
      note(this as Element);
    },
  });
  later(() => {
    document.removeEventListener('input', onInput, true);
    observer.disconnect();
    Object.defineProperty(prototype, 'value', descriptor);
  });
  return recorded;
}

describe.each(Object.entries(RECORDERS))('a page that records as %s', (_, isMasked) => {
  async function payRecorded(maskForRecorders: boolean) {
    const page = open(CITY + html());
    const recorded = record(page.host, isMasked);
    bind(page.form, { maskForRecorders });
    const [city, ...controls] = page.form.querySelectorAll('input');
    const { number, name, expiry, cvv } = TYPED;
    for (const [i, text] of [number, name, expiry, cvv].entries()) controls[i]!.value = text;
    city!.value = 'Cork';
    for (const control of [city!, ...controls]) {
      control.dispatchEvent(new Event('input', { bubbles: true }));
    }
    const sent = await posted(page);
    expect(JSON.stringify(sent)).toContain('encrypted_card');
    return recorded.join('\n');
  }

  test('gets nothing of card and block, and the rest of the page', async () => {
    const recorded = await payRecorded(true);
    expect(recorded).toContain('Cork');
    for (const text of [TYPED.number, CARD.name, TYPED.expiry, TYPED.cvv, 'payload']) {
      expect(recorded).not.toContain(text);
    }
  });

  test('gets all of it without the marks', async () => {
    const recorded = await payRecorded(false);
    for (const text of [TYPED.number, CARD.name, TYPED.expiry, TYPED.cvv, 'payload', 'Cork']) {
      expect(recorded).toContain(text);
    }
  });
});
