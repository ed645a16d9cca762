import { expect, test } from 'vitest';
import type { CardEncryptionError, EncryptedCard } from '../../src/core/index.ts';
import { decrypt, freshKey } from '../tools/support/core.ts';
import { CARD, later, next, TYPED } from '../tools/support/form.ts';
import type { Sent } from '../tools/support/servers/echo.ts';
import type { StrictPage } from './strict-csp-page.ts';

async function open() {
  const id = crypto.randomUUID();
  const frame = document.createElement('iframe');
  frame.src = `/strict/form/${id}`;
  document.body.append(frame);
  later(() => frame.remove());
  await next(frame, 'load');
  const page = frame.contentWindow as Window & StrictPage;
  const form = page.document.querySelector('form')!;
  const fill = (...values: string[]) =>
    values.forEach((value, i) => {
      form.querySelectorAll('input')[i]!.value = value;
    });
  return { id, frame, page, form, fill };
}

test('works under a strict Content-Security-Policy with Trusted Types, without one violation', async () => {
  const { page, form, fill } = await open();
  const encrypted = new Promise<EncryptedCard>((resolve) =>
    page.bindCardForm(form, { key: () => freshKey(), onEncrypted: resolve }),
  );
  const refused = next<CustomEvent<CardEncryptionError>>(form, 'cardseal:error');
  form.querySelector('button')!.click();
  expect((await refused).detail.code).toBe('invalid_card');
  expect(form.querySelector('input')!.getAttribute('aria-invalid')).toBe('true');
  fill(TYPED.number, TYPED.name, TYPED.expiry, TYPED.cvv);
  form.querySelector('button')!.click();
  expect(await decrypt(await encrypted)).toEqual(CARD);
  expect(page.violations).toEqual([]);

  // That the policy is there, and violations of it are seen:
  const violated = next(page, 'securitypolicyviolation');
  form.setAttribute('style', 'color: red');
  await violated;
  expect(page.violations.length).toBe(1);
  expect(() => Reflect.get(page, 'eval')('1')).toThrow();
});

test('posts natively under form-action self', async () => {
  const { id, frame, page, form, fill } = await open();
  await page.bindCardForm(form, { key: freshKey() }).ready;
  fill(TYPED.number, TYPED.name, TYPED.expiry, TYPED.cvv);
  const loaded = next(frame, 'load');
  form.querySelector('button')!.click();
  await loaded;
  const [sent]: Sent[] = await (await fetch(`/sent/${id}`)).json();
  expect(await decrypt(JSON.parse(Object.fromEntries(sent!.body).encrypted_card!))).toEqual(CARD);
  expect(page.violations).toBeUndefined(); // it has navigated
});
