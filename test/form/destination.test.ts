/** Where the browser sends the form, and where its answer is shown. */
import { describe, expect, test, vi } from 'vitest';
import { checkDestination, isAnsweredElsewhere } from '../../src/form/page/destination.ts';
import { decrypt, freshKey } from '../support/core.ts';
import {
  bind,
  blockIn,
  blockOf,
  CARD,
  CARD_BUTTON,
  cancelled,
  EMPTY,
  FIELDS,
  fill,
  html,
  KEPT,
  later,
  next,
  OTHER,
  OTHER_CARD,
  open,
  posted,
  refused,
  settled,
  statusOf,
  values,
} from '../support/form.ts';

const ON_HTTPS = 'The card form must have an action on https, or onEncrypted';
const OWN_ORIGIN = 'an action on its own origin, or allowCrossOriginAction, or onEncrypted';
const POST = 'The card form must have method="post", or onEncrypted';
const NO_WINDOW = 'Remove the target of the card form (it opens a window), or use onEncrypted';

// Claim destination. Why: It is checked at binding, at each press, and just before the block leaves
// the form: src/form/page/destination.ts.
describe('a destination is refused', () => {
  /** A form with these attributes, and with a button of these. */
  function parse(form: string, button = '') {
    const host = document.body.appendChild(document.createElement('div'));
    later(() => host.remove());
    host.innerHTML = `<iframe name="somewhere"></iframe><form ${form}><button ${button}></button></form>`;
    return [host.querySelector('form')!, host.querySelector('button')!] as const;
  }

  // As `<form is="ajax-form">` has it. The browser goes by the attribute.
  test('of a form whose own class says that it posts', () => {
    const [form, button] = parse('action="/pay"');
    class OfPage extends HTMLFormElement {
      override get method() {
        return 'post';
      }
    }
    Object.setPrototypeOf(form, OfPage.prototype);
    expect(() => checkDestination(form, button)).toThrow(POST);
  });

  test.each([
    ['method="get"', '', POST],
    ['method="dialog"', '', POST],
    ['method="post"', 'formmethod="get"', POST],
    ['method="post" action="http://shop.example/pay"', '', ON_HTTPS],
    ['method="post" action="javascript:0"', '', ON_HTTPS],
    ['method="post" action="https://["', '', ON_HTTPS],
    ['method="post"', 'formaction="http://shop.example/pay"', ON_HTTPS],
    ['method="post" action="https://shop.example/pay"', '', OWN_ORIGIN],
    ['method="post"', 'formaction="https://shop.example/pay"', OWN_ORIGIN],
    ['method="post" target="_blank"', '', NO_WINDOW],
    ['method="post" target="nowhere"', '', NO_WINDOW],
    ['method="post"', 'formtarget="_blank"', NO_WINDOW],
  ])('<form %s><button %s>', (attributes, ofButton, message) => {
    const [form, button] = parse(attributes, ofButton);
    const refusal = expect.objectContaining({
      code: 'invalid_form',
      message: expect.stringContaining(message),
    });
    expect(() => checkDestination(form, button)).toThrow(refusal);
    if (!ofButton) expect(() => checkDestination(form, null)).toThrow(refusal);
    else checkDestination(form, null);
  });

  test('on another origin unless that is allowed, and on http on another machine in any case', () => {
    const check = (action: string) =>
      checkDestination(...parse(`method="post" action="${action}"`), true);
    for (const origin of [
      ...['https://shop.example', 'http://localhost', 'http://shop.localhost:8080'],
      ...['http://127.0.0.1:3000', 'http://[::1]:3000'],
    ]) {
      check(`${origin}/pay`);
    }
    for (const origin of [
      ...['http://shop.example', 'http://127.evil.example', 'http://localhost.example'],
      ...['http://127.0.0.2.example', 'http://shoplocalhost', 'ftp://localhost'],
    ]) {
      expect(() => check(`${origin}/pay`), origin).toThrow(ON_HTTPS);
    }
  });
});

// Control destination
test('the option allowCrossOriginAction allows another origin', async () => {
  const page = open();
  page.form.action = 'https://shop.example/pay';
  await expect(bind(page.form).ready).rejects.toMatchObject({ code: 'invalid_form' });
  await bind(page.form, { allowCrossOriginAction: true }).ready;
});

test('is checked at binding, with a submit button beside a card button', async () => {
  const page = open(`${html()}${CARD_BUTTON}`, 'method="get"');
  await expect(bind(page.form).ready).rejects.toMatchObject({
    code: 'invalid_form',
    message: POST,
  });
});

// Changed: it was checked at binding, also for a form whose script calls encrypt().
test('is checked at the press, without a submit button', async () => {
  const page = open(FIELDS, 'method="get"');
  await bind(page.form).ready;
  fill(page);
  const raised = next<CustomEvent>(page.form, 'cardseal:error');
  page.form.requestSubmit();
  expect((await raised).detail.message).toBe(POST);
});

// Changed: the destination is checked as the first submit button would submit the form.
// Control no-clear-text
test('a button corrects what the form lacks, at binding, too', async () => {
  const page = open(html().replace('<button', '<button formmethod="post"'), 'method="get"');
  await bind(page.form).ready;
  fill(page);
  expect((await posted(page)).map(({ method }) => method)).toEqual(['POST']);
});

test('a press with a block that is there already is refused, too, if the page has changed its action', async () => {
  const { page } = await cancelled();
  page.form.action = 'https://shop.example/pay';
  expect((await refused(page)).code).toBe('invalid_form');
  expect([page.passes, values(page)]).toEqual([1, KEPT]);
});

describe('the answer is shown', () => {
  test.each([
    ['here', 'nowhere', '', false],
    ['here', 'nowhere', '_self', false],
    ['in the page around it', 'nowhere', '_parent', false],
    ['in the outermost page', 'nowhere', '_top', false],
    ['here: the window has the name "shop"', 'nowhere', 'shop', false],
    ['elsewhere', '_self', 'nowhere', true],
    ['elsewhere', 'nowhere', undefined, true],
    ['elsewhere, as the page says', undefined, undefined, true],
  ])(
    '%s, with the target %s of the form and %s of the button',
    (_, target, ofButton, elsewhere) => {
      const { name } = window;
      const base = document.head.appendChild(document.createElement('base'));
      later(() => {
        window.name = name;
        base.remove();
      });
      window.name = 'shop';
      base.target = 'nowhere';
      const [form, button] = [document.createElement('form'), document.createElement('button')];
      if (target !== undefined) form.target = target;
      if (ofButton !== undefined) button.setAttribute('formtarget', ofButton);
      expect(isAnsweredElsewhere(form, button)).toBe(elsewhere);
    },
  );

  test("in a frame: after the dispatch the fields are empty, the block is gone, and a card after the bank's decline has another key", async () => {
    const page = open(); // it posts into a frame
    const binding = bind(page.form);
    fill(page);
    await posted(page);
    await vi.waitUntil(() => page.ready === 2);
    expect([values(page), blockIn(page), binding.isBusy]).toEqual([EMPTY, null, false]);
    expect((await refused(page)).code).toBe('invalid_card');
    fill(page, OTHER);
    const [first, second] = (await posted(page)).map(blockOf);
    expect([await decrypt(first!), await decrypt(second!)]).toEqual([CARD, OTHER_CARD]);
    expect(second!.key_id).not.toBe(first!.key_id);
  });

  test('in a frame: a fixed key is not asked for again, and nothing is said', async () => {
    const page = open();
    bind(page.form, { key: freshKey() });
    fill(page);
    await posted(page);
    await settled(page);
    expect([page.errors, statusOf(page)]).toEqual([[], undefined]);
  });
});
