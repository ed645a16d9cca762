/**
 * A shopper in a shop that was made by the steps of a page. The shop talks to the sandbox of the
 * page, so the sandbox knows what was charged.
 */
import type { Page } from 'playwright';
import { ACCOUNTS } from '../../demo/service/accounts.ts';
import { expect, type Place } from './stack.ts';

const SANDBOX = 'http://127.0.0.1:3001';
const DECLINED = '4000000000000002';
const APPROVED = '4242424242424242';

export interface OrderVisit {
  address: string;
  /** What the shopper clicks to reach the form. */
  toForm?: string | undefined;
  /** What the shopper clicks to reach the form after a decline, if it is not there at once. */
  again?: string;
}

/**
 * A number with a digit missing sends nothing, the first card is declined, the second one pays, and
 * a reload still says so. The sandbox has charged once.
 */
export function payOrder(place: Place, { again, ...visit }: OrderVisit): Promise<void> {
  return inShop(place, visit, async (page, requests) => {
    const charged = await countCharges();
    const pageOfForm = page.url();
    await press(page, DECLINED.slice(0, -1));
    await page.waitForSelector('[autocomplete=cc-number][aria-invalid=true]');
    expect(!requests.some((it) => it.includes('payload')), 'a card with a wrong number was sent');

    await press(page, DECLINED);
    await page.getByText('Your card was declined.').waitFor();
    if (again) await page.click(again);
    await page.waitForFunction(() => {
      const inputs = document.querySelectorAll<HTMLInputElement>('input[autocomplete]');
      return inputs.length === 4 && Array.from(inputs).every(({ value }) => !value);
    });

    await press(page, APPROVED);
    await page.getByText('Thank you. You have paid.').waitFor();
    const requestsOfPayment = requests.length;
    await page.waitForTimeout(500);
    expect(!(await page.isVisible('input[autocomplete]')), 'there is still a form');
    const later = requests.slice(requestsOfPayment).filter((it) => it.includes('key'));
    expect(!later[0], `after the success: ${later.join('; ')}`);

    await page.goto(pageOfForm);
    await page.getByText('Thank you. You have paid.').waitFor();
    expect(!(await page.isVisible('input[autocomplete]')), 'after a reload there is a form');
    expect((await countCharges()) === charged + 1, `charged ${await countCharges()} times`);
  });
}

/**
 * The response of the payment is lost: the shopper reads that, and pays by another press, once.
 * Reload and Back then say that it is paid.
 */
export function payAfterLostResponse(place: Place, visit: OrderVisit): Promise<void> {
  return inShop(
    place,
    visit,
    async (page) => {
      const charged = await countCharges();
      let isLost = false;
      await page.route(
        (url) => url.pathname.endsWith('/checkout'),
        async (route) => {
          if (isLost || !route.request().postData()) return route.continue();
          isLost = true;
          await route.fetch(); // the server charges
          await route.abort();
        },
      );
      await press(page, APPROVED);
      await page.getByText('We do not know yet whether you have paid.').waitFor();
      await page.locator('button', { hasText: 'Pay' }).click();
      await page.getByText('Thank you. You have paid.').waitFor();
      const address = page.url();
      await page.goto('about:blank');
      await page.goBack();
      await page.getByText('Thank you. You have paid.').waitFor();
      await page.goto(address);
      await page.getByText('Thank you. You have paid.').waitFor();
      expect((await countCharges()) === charged + 1, `charged ${await countCharges()} times`);
    },
    // The lost response; and what a development server of Next says after Back.
    /ERR_FAILED|did not answer|server caches disabled/,
  );
}

/** A page that the server renders has its button disabled until the form is bound. */
export async function isDisabledBeforeHydration(
  { browser }: Place,
  { address }: OrderVisit,
): Promise<void> {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(address);
  const button = page.locator('button', { hasText: 'Pay' });
  expect(await button.isDisabled(), 'the button can be pressed before the form is bound');
  await context.close();
}

/**
 * The sandbox charges, and answers once that the key has expired. The page says that another try
 * cannot charge twice, also after a reload, and another try does not.
 */
export function payWithFault(place: Place, visit: OrderVisit): Promise<void> {
  return inShop(place, visit, async (page) => {
    const charged = await countCharges();
    await press(page, APPROVED);
    const text = 'Please enter your card again: you cannot pay twice.';
    await page.getByText(text).waitFor();
    await page.reload();
    await page.getByText(text).waitFor();
    await press(page, APPROVED);
    await page.getByText('We do not know whether you have paid.').waitFor();
    expect((await countCharges()) === charged + 1, `charged ${await countCharges()} times`);
  });
}

/**
 * Opens the shop, and looks at the end whether the console has complaints, or whether a request had
 * a card in clear text.
 *
 * @param act - Gets the page and its requests until now.
 * @param expected - Complaints that must come.
 */
async function inShop(
  { browser }: Place,
  { address, toForm }: OrderVisit,
  act: (page: Page, requests: readonly string[]) => Promise<void>,
  expected = /^$/,
): Promise<void> {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(30_000); // a development server compiles a page when it is first asked
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    const isIcon = message.location().url.endsWith('/favicon.ico');
    const isNoise = isIcon || expected.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !isNoise) complaints.push(message.text());
  });
  page.on('request', (request) => {
    requests.push(`${request.method()} ${request.url()} ${request.postData() ?? ''}`);
  });
  try {
    await page.goto(address);
    if (toForm) await page.click(toForm);
    await page.waitForSelector('input[autocomplete]');
    await act(page, requests);
    const clear = requests.filter((it) => it.includes(APPROVED) || it.includes(DECLINED));
    expect(!clear[0], `in clear text: ${clear.join('; ')}`);
    expect(!complaints[0], 'the console has complaints');
  } catch (error) {
    const told = complaints.map((text) => `\nconsole: ${text}`).join('');
    throw new Error(`${(error as Error).message}${told}\n${await page.innerText('body')}`);
  } finally {
    await context.close();
  }
}

/** Types a card key by key, and presses Pay. */
async function press(page: Page, number: string): Promise<void> {
  const values = { number, name: 'Ada Lovelace', exp: '12/39', csc: '123' };
  for (const [field, value] of Object.entries(values)) {
    const control = page.locator(`[autocomplete=cc-${field}]`);
    await control.fill('');
    await control.pressSequentially(value);
  }
  await page.locator('button', { hasText: 'Pay' }).click();
}

/** The intents of the sandbox that are charged, or whose amount is reserved. */
async function countCharges(): Promise<number> {
  const headers = { authorization: `Bearer ${ACCOUNTS[0].secretKey}` };
  const answer = await fetch(`${SANDBOX}/payments/card?limit=100`, { headers });
  const { data }: { data: { status: string }[] } = await answer.json();
  return data.filter(({ status }) => ['committed', 'authorized'].includes(status)).length;
}
