/// <reference types="vite/client" />
import { describe, expect, test } from 'vitest';
import { decrypt } from '../tools/support/core.ts';
import { CARD } from '../tools/support/form.ts';
import { keyAttribute, type TagPage, visit } from '../tools/support/tag-page.ts';

/** Card forms as they are found in the wild, with `data-cardseal` put on them. */
const FIXTURES = import.meta.glob<string>('./fixtures/*.html', {
  query: '?raw',
  import: 'default',
  eager: true,
});

const NUMBER = '4929 1192 8374 6509';

/** What the shopper enters, by selector; what the server gets besides the block. */
const BINDS: [file: string, entries: Record<string, string>, others: Record<string, string>][] = [
  [
    'bootstrap-checkout-fixed',
    {
      '#cc-name': 'Zoë Quillow',
      '#cc-number': NUMBER,
      '#cc-expiration': '11/49',
      '#cc-cvv': '583',
    },
    { first_name: 'Zoë', address: '1234 Main St', paymentMethod: 'credit' },
  ],
  [
    'php-shop-fixed',
    {
      '#cc_owner': 'Zoë Quillow',
      '#cc_number': NUMBER,
      '#expiration': '11',
      '#expiration_yr': '2049',
      '#cc_cid': '583',
    },
    { form_key: 'Xy12' },
  ],
  [
    'django',
    {
      '#id_number': NUMBER,
      '#id_holder': ' Zoë  Quillow ',
      '#id_expires': '2049-11',
      '#id_cvc': '583',
    },
    { csrfmiddlewaretoken: 'tok3n' },
  ],
  [
    'sections',
    {
      '#given': 'Zoë',
      '#family': 'Quillow',
      '#number': NUMBER,
      '#month': '11',
      '#year': '49',
      '#code': '583',
    },
    { ship_name: 'Quill & Co', ship_zip: '12345', action: 'pay' },
  ],
  [
    'old-table',
    { '#cardno': NUMBER, '#holder': 'Zoë Quillow', '#mm': '11', '#yy': '49', '#cvv2': '583' },
    { orderid: '4711', x: '0', y: '0' },
  ],
  [
    'encrypted-name-after',
    {
      '[data-cardseal-field=number]': NUMBER,
      '[data-cardseal-field=name]': 'Zoë Quillow',
      '[data-cardseal-field=exp_month]': '11',
      '[data-cardseal-field=exp_year]': '2049',
      '[data-cardseal-field=cvv]': '583',
    },
    { order: '4711' },
  ],
];

const NAMED = 'must have no name attribute: without script it would be sent in clear text';

/** What the console says about the control that is wrong, and how to fix it. */
const REFUSED: [file: string, message: string][] = [
  [
    'bootstrap-checkout',
    'The card form\'s number control must be marked by data-cardseal-field="number" or autocomplete="cc-number"',
  ],
  ['php-shop', `The card form's name control ${NAMED}`],
  [
    'material-number',
    'The card form\'s number control must not have type="number", which loses digits: use inputmode="numeric"',
  ],
  ['four-boxes', "The card form's number control must occur only once"],
  ['get-form', 'The card form must have method="post", or onEncrypted'],
  ['formatted-twin', "The card form's number control must not be disabled, read-only or hidden"],
  [
    'encrypted-name-before',
    'The card form\'s number control must be marked by data-cardseal-field="number" or autocomplete="cc-number"',
  ],
];

/** The fixture with a key, posting to where the test can see it. The file comes last: the form is as its author wrote it when it is bound. */
async function open(file: string, prepare = (_: TagPage) => {}): Promise<TagPage> {
  const body = FIXTURES[`./fixtures/${file}.html`]!.replace(
    /data-cardseal(?=>)/i,
    `data-cardseal ${keyAttribute()}`,
  );
  const page = await visit({ head: '', body });
  page.form.setAttribute('action', page.target.path);
  prepare(page);
  await page.load('/dist/cardseal.js');
  return page;
}

const submitButton = ({ form }: TagPage) =>
  form.querySelector<HTMLElement>('button, [type=submit], [type=image]')!;

describe('a card form in the wild is bound, and sends the block and its own fields:', () => {
  test.each(BINDS)('%s', async (file, entries, others) => {
    const page = await open(file);
    for (const [selector, value] of Object.entries(entries))
      page.document.querySelector<HTMLInputElement>(selector)!.value = value;
    const answered = page.loaded();
    submitButton(page).click();
    await answered;
    const { encrypted_card, ...posted } = Object.fromEntries(await page.posted());
    expect(posted).toEqual(others);
    expect(await decrypt(JSON.parse(encrypted_card!))).toEqual(CARD);
  });
});

describe('a card form in the wild is refused, sends nothing, the console says what to fix, and the shopper reads that:', () => {
  test.each(REFUSED)('%s', async (file, message) => {
    // The library stops the event on the window, so this listener must be there before it.
    let passes!: Promise<Event>;
    const page = await open(file, ({ window }) => {
      passes = new Promise((resolve) =>
        window.addEventListener('submit', resolve, { capture: true, once: true }),
      );
    });
    await expect.poll(() => page.seen).toEqual([message]);
    page.seen.length = 0;
    submitButton(page).click();
    expect((await passes).target).toBe(page.form); // the browser would submit it
    await expect.poll(() => page.seen).toEqual([message]);
    const status = page.document.querySelector<HTMLElement>('[role=alert]')!;
    expect(status.textContent).toBe(
      'Card payment is not available at the moment. Nothing was sent.',
    );
    expect(status.getClientRects().length).toBe(1);
    expect(await page.target.got()).toEqual([]);
  });
});

// Changed: it was refused, because its card fields are disabled.
test('folded-methods: another payment method is sent without a block, and the card with one', async () => {
  const page = await open('folded-methods');
  const button = () => submitButton(page);
  const target = page.document.createElement('iframe');
  target.name = 'answer';
  page.document.body.append(target);
  page.form.target = 'answer';
  button().click();
  await expect.poll(() => page.target.got()).toHaveLength(1);
  // Until the answer is there, Firefox ignores every further submit of the form.
  const answer = () => target.contentDocument!;
  await expect.poll(() => [answer().title, answer().readyState]).toEqual(['received', 'complete']);
  page.document.querySelector('fieldset')!.disabled = false;
  page.document.querySelector<HTMLInputElement>('[value=card]')!.checked = true;
  page.fill();
  button().click();
  await expect.poll(() => page.target.got()).toHaveLength(2);
  const [invoice, card, block, ...more] = await page.posted();
  expect([invoice, card, more]).toEqual([['method', 'invoice'], ['method', 'card'], []]);
  expect(await decrypt(JSON.parse(block![1]))).toEqual(CARD);
});

test('every fixture is in one of the tables', () => {
  const files = Object.keys(FIXTURES).map((path) =>
    path.slice('./fixtures/'.length, -'.html'.length),
  );
  expect([...BINDS, ...REFUSED, ['folded-methods']].map(([file]) => file).sort()).toEqual(
    files.sort(),
  );
});
