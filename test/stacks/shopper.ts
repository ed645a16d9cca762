/**
 * A shopper in a real browser: types key by key, clicks, reads. All apps have the same controls: an
 * e-mail address that the page requires, the card, a button, and a line for the outcome.
 */
import type { Page } from 'playwright';
import type { Payment } from './shop.ts';
import { expect, type Place } from './stack.ts';

const STEP_LIMIT_MS = 10_000;

const NUMBER = '4929119283746509';
const TYPED = { number: '4929 1192 8374 6509', name: 'Zoë Quillow', expiry: '11/49', code: '583' };
const DECRYPTED = 'Pan=4929119283746509 Name=Zoë Quillow ExpMonth=11 ExpYear=2049 Cvc=583';

/** What the shopper reads: the status, or the text for it in payment.ts. */
const DECLINED = /^(failed|Your card was declined\..*)$/;
const REFUSED = /^(not_paid|The payment could not be made\..*)$/;
const PAID = /^(committed|Thank you\. You have paid\.)$/;

export interface Visit {
  /** The address of the page. */
  address: string;
  /** Where the shopper clicks first, to reach the checkout without loading a page. */
  link?: string;
  /** How the page groups what is typed: the shopper types digits, and reads these texts. */
  masked?: boolean;
  /** Called when the card is typed. */
  whenTyped?(page: Page): Promise<void>;
}

/**
 * A whole visit. A wrong number and a missing e-mail address send nothing and lose nothing. The
 * first card is declined, the second refused, the third is paid, and then the page has no form,
 * and nothing of a card.
 */
export async function payAt(place: Place, visit: Visit): Promise<void> {
  const context = await place.browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_LIMIT_MS);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    const isComplaint = ['error', 'warning'].includes(message.type());
    if (isComplaint && !isNoise(message.text())) complaints.push(message.text());
  });
  try {
    await page.goto(visit.address);
    if (visit.link) await page.click(visit.link);
    await correctAndPay(place, page, visit);
    expect(!complaints[0], `the console says: ${complaints.join('; ')}`);
    expect(!place.shop.problems[0], place.shop.problems.join('; '));
  } catch (error) {
    const told = complaints.map((text) => `\nconsole: ${text}`).join('');
    throw new Error(`${(error as Error).message}${told}`);
  } finally {
    await context.close();
    place.shop.takePayments();
  }
}

/** A paid order is opened again: the server gives no key, and the page says that it is paid. */
export async function openPaid({ browser }: Place, address: string): Promise<void> {
  const page = await browser.newPage();
  page.setDefaultTimeout(STEP_LIMIT_MS);
  const paid = { status: 409, json: { status: 'committed' } };
  try {
    await page.route('**/card-key', (route) => route.fulfill(paid));
    await page.goto(address);
    await outcome(page, PAID);
    expect((await cardInPage(page)).length === 0, 'there is a form for a paid order');
  } finally {
    await page.close();
  }
}

/** Browsers ask for an icon of the page, which the apps do not have. */
const isNoise = (text: string) => text.includes('404 (Not Found)');

async function correctAndPay({ shop }: Place, page: Page, visit: Visit): Promise<void> {
  await typeCard(page, visit);
  await press(page);
  await page.waitForTimeout(300);
  expect(!shop.takePayments()[0], 'a card was posted although the e-mail address is missing');
  const typed = await cardInPage(page);
  expect(typed.join() === Object.values(TYPED).join(), `the shopper reads ${typed}`);
  await visit.whenTyped?.(page);

  await page.fill('[name=email]', 'zoe@shop.example');
  const number = page.locator('[autocomplete~=cc-number]');
  await number.press('End');
  await number.press('Backspace');
  await press(page);
  await page.waitForSelector('[autocomplete~=cc-number][aria-invalid=true]');
  expect(!shop.takePayments()[0], 'a card with a wrong number was posted');
  await number.press('End');
  await number.pressSequentially(NUMBER.slice(-1));
  shop.answerNext('failed', 'not_paid');
  for (const shown of [DECLINED, REFUSED, PAID]) {
    const controls = await page.evaluateHandle(() =>
      Array.from(document.querySelectorAll<HTMLInputElement>('[autocomplete*=cc-]')),
    );
    await press(page);
    await outcome(page, shown);
    await expectEmpty(page, visit);
    const kept = await controls.evaluate((all) => all.map(({ value }) => value).join(''));
    expect(!kept, 'controls that have left the page still hold the card');
    if (shown === PAID) break;
    expect((await cardInPage(page)).length === 4, 'there is no form for another card');
    const hasEmail = await page.inputValue('[name=email]');
    if (!hasEmail) await page.fill('[name=email]', 'zoe@shop.example');
    await typeCard(page, visit);
  }
  expect((await cardInPage(page)).length === 0, 'there is still a form for a card after paying');
  expectPayments(shop.takePayments(), 3);
}

/** As a shopper does, key by key. */
async function typeCard(page: Page, { masked }: Visit): Promise<void> {
  const number = masked ? NUMBER : TYPED.number;
  const expiry = masked ? TYPED.expiry.replace('/', '') : TYPED.expiry;
  await page.locator('[autocomplete~=cc-number]').pressSequentially(number);
  await page.locator('[autocomplete~=cc-name]').pressSequentially(TYPED.name);
  await page.locator('[autocomplete~=cc-exp]').pressSequentially(expiry);
  await page.locator('[autocomplete~=cc-csc]').pressSequentially(TYPED.code);
}

async function press(page: Page): Promise<void> {
  await page.click('button:has-text("Pay")');
}

async function outcome(page: Page, text: RegExp): Promise<void> {
  const line = page.locator('[role=status]', { hasText: text });
  await line.waitFor().catch(async () => {
    const seen = await page.locator('body').innerText();
    throw new Error(`the page does not say ${text}, but: ${seen}`);
  });
}

const cardInPage = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    Array.from(
      document.querySelectorAll<HTMLInputElement>('[autocomplete*=cc-]'),
      ({ value }) => value,
    ),
  );

/** Neither the controls nor what the page shows of its state hold anything of the card. */
async function expectEmpty(page: Page, visit: Visit): Promise<void> {
  await page.waitForFunction(() =>
    Array.from(document.querySelectorAll<HTMLInputElement>('[autocomplete*=cc-]')).every(
      ({ value }) => !value,
    ),
  );
  const texts = await page.evaluate(() => document.documentElement.outerHTML);
  for (const part of [NUMBER, TYPED.number, TYPED.name, TYPED.expiry, NUMBER.slice(0, 8)]) {
    expect(!texts.includes(part), `${visit.address}: the page still holds ${part}`);
  }
}

function expectPayments(payments: Payment[], count: number): void {
  expect(payments.length === count, `${payments.length} payments instead of ${count}`);
  for (const { card, others, body } of payments) {
    expect(card === DECRYPTED, `the block decrypts to ${card}`);
    expect(!others[0] || others.some(([name]) => name === 'email'), `posted: ${others.join('; ')}`);
    for (const part of [NUMBER, TYPED.number, TYPED.name]) {
      expect(!body.includes(part), `the body has ${part} in clear text`);
    }
  }
  const keys = new Set(payments.map(({ keyId }) => keyId));
  expect(keys.size === count, 'two cards were encrypted under one key');
}
