import { join } from 'node:path';
import type { Page } from 'playwright';
import { payAt } from '../shopper.ts';
import { expect, type Place, type Stack } from '../stack.ts';

const SHOW_STATE = `import { masks } from './imask.js';
const state = document.body.appendChild(document.createElement('output'));
for (const mask of masks) {
  mask.on('accept', () => {
    const values = masks.map(({ value, unmaskedValue }) => [value, unmaskedValue]);
    state.textContent = JSON.stringify(values);
  });
}
`;

export const viteMasks: Stack = {
  name: 'vite-masks',
  packages: ['vite', 'imask', 'credit-card-type'],
  async build({ app, shop }) {
    app.insert('checkout.js', "import './imask.js';", SHOW_STATE);
    await app.run('vite', ['build']);
    shop.root = join(app.folder, 'dist');
  },
  checks: {
    'IMask: groups while the shopper types, empty after paying': (place) =>
      payAt(place, { address: place.shop.origin, masked: true, whenTyped: expectBrand }),
    'credit-card-type: accepted brands, four-digit code': payWithBrands,
  },
};

async function expectBrand(page: Page): Promise<void> {
  const brand = await page.innerText('#brand');
  expect(brand === 'Visa', `the brand is '${brand}'`);
}

async function payWithBrands({ browser, shop }: Place): Promise<void> {
  const page = await browser.newPage();
  page.setDefaultTimeout(10_000);
  const message = (control: string) =>
    page.locator(control).evaluate((input: HTMLInputElement) => input.validationMessage);
  const retype = async (control: string, text: string) => {
    await page.fill(control, '');
    await page.locator(control).pressSequentially(text);
  };
  try {
    await page.goto(shop.origin);
    await page.fill('[name=email]', 'zoe@shop.example');
    await page.locator('#number').pressSequentially('6011000990139424'); // Discover
    await page.locator('[autocomplete=cc-name]').pressSequentially('Zoë Quillow');
    await page.locator('#expiry').pressSequentially('1149');
    await page.locator('#code').pressSequentially('583');
    await page.click('button');
    const refused = await message('#number');
    expect(refused.startsWith('We accept'), `another brand: '${refused}'`);

    await retype('#number', '378282246310005');
    expect((await page.innerText('#brand')) === 'American Express', 'the brand does not change');
    await page.click('button');
    const tooShort = await message('#code');
    expect(tooShort.includes('another length'), `a code of three digits: '${tooShort}'`);
    expect(!shop.takePayments()[0], 'a card was posted that the page refuses');

    await retype('#code', '5839');
    await page.click('button');
    await page.locator('[role=status]', { hasText: 'committed' }).waitFor();
    const [payment, ...more] = shop.takePayments();
    const expected = 'Pan=378282246310005 Name=Zoë Quillow ExpMonth=11 ExpYear=2049 Cvc=5839';
    expect(payment?.card === expected && !more[0], `paid with ${payment?.card}`);
    const left = await page.evaluate(() => document.documentElement.outerHTML);
    expect(!left.includes('3782'), 'the page still holds the number');
    expect(!left.includes('cc-number'), 'there is still a form for a card after paying');
  } finally {
    await page.close();
  }
}
