/** payment.ts of docs/payment.md. snippets.test.ts runs it in a page. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { deferred } from '../support/deferred.ts';

type Payment = typeof import('./snippets/payment.ts');

let payment: Payment;
beforeEach(async () => {
  vi.resetModules(); // a page that was loaded anew
  payment = await import('./snippets/payment.ts');
});
afterEach(() => void vi.unstubAllGlobals());

const answerWith = (...answers: (string | Error)[]) => {
  vi.stubGlobal('fetch', async (url: string) => {
    const answer = answers.shift()!;
    if (answer instanceof Error) throw answer;
    const code = url === '/card-key' ? 409 : 404;
    return Response.json({ status: answer }, { status: answer === 'no_order' ? code : 200 });
  });
};

test.each([
  ['is not certain', 'not_certain', 'Please do not pay again'],
  ['has succeeded', 'committed', 'You have paid.'],
  ['has an outcome that the page does not know', 'new', 'Please do not pay again'],
  ['has had too many declines', 'failed', 'no other card can be tried'],
  ['cannot be found', 'no_order', 'If you have pressed Pay before, please contact us.'],
])('a page says so if an earlier payment %s', async (_, status, text) => {
  vi.stubGlobal('fetch', async () => Response.json({ status }, { status: 409 }));
  const show = vi.fn();
  await expect(payment.requestKey(show)).rejects.toThrow('/card-key answered 409');
  expect(show.mock.lastCall![0].text).toContain(text);
  expect(show.mock.lastCall![0].asksForCard).toBe(false);
});

const LOST = new TypeError('The network has failed');

test.each([
  ['no earlier block', [], 'out_of_date'],
  ['a block that was declined', ['failed'], 'out_of_date'],
  ['a block that was lost and then declined', [LOST, 'failed'], 'out_of_date'],
  ['a block that is not of an order', ['no_order'], 'out_of_date'],
  ['a block that was not answered', [LOST], 'not_certain'],
  ['an answer that the page does not know', ['another'], 'not_certain'],
  ['a block that the service may have charged', ['retry_is_safe'], 'not_certain'],
  ['a block that is not certain', ['not_certain'], 'not_certain'],
  ['a lost block of which the server knows no order', [LOST, 'no_order'], 'not_certain'],
])('no_order after %s', async (_, earlier, result) => {
  answerWith(...earlier, 'no_order', 'no_order');
  for (const _ of earlier) await payment.sendCard('{}');
  const show = vi.fn();
  await expect(payment.requestKey(show)).rejects.toThrow('answered 409');
  const expected = { result, asksForCard: false }; // a new key would be of another order
  expect(show.mock.lastCall![0]).toMatchObject(expected);
  expect(await payment.sendCard('{}')).toMatchObject(expected);
});

test('no_order is not certain while another block is under way', async () => {
  const { promise, resolve } = deferred<Response>();
  vi.stubGlobal('fetch', () => promise);
  const first = payment.sendCard('{}');
  answerWith('no_order');
  expect(await payment.sendCard('{}')).toMatchObject({ result: 'not_certain' });
  resolve(Response.json({ status: 'committed' }));
  expect(await first).toMatchObject({ result: 'paid' });
});

test.each([
  [504, 'failed'],
  [403, 'committed'],
  [400, 'not_paid'],
  [404, 'failed'],
])("a %i with the status %s is a gateway's: no answer", async (code, status) => {
  vi.stubGlobal('fetch', async () => Response.json({ status }, { status: code }));
  expect(await payment.sendCard('{}')).toMatchObject({ result: 'no_answer', asksForCard: true });
});

test('what was posted is no block: another card', async () => {
  const status = 'invalid_encrypted_card';
  vi.stubGlobal('fetch', async () => Response.json({ status }, { status: 400 }));
  expect(await payment.sendCard('{}')).toMatchObject({ result: 'not_paid' });
});

test('a lost answer after paid takes nothing back', async () => {
  const paid = deferred<Response>();
  const lost = deferred<Response>();
  const answers = [paid.promise, lost.promise];
  vi.stubGlobal('fetch', () => answers.shift());
  const show = vi.fn();
  const first = payment.sendCard('{}', show);
  const second = payment.sendCard('{}', show);
  paid.resolve(Response.json({ status: 'committed' }));
  expect(await first).toMatchObject({ result: 'paid' });
  lost.reject(LOST);
  expect(await second).toBe(payment.NOTHING_YET);
  expect(show.mock.lastCall![0]).toMatchObject({ result: 'paid' });
});

test('a late answer to an earlier press says nothing, and makes nothing certain', async () => {
  const late = deferred<Response>();
  vi.stubGlobal('fetch', () => late.promise);
  const show = vi.fn();
  const first = payment.sendCard('{}', show);
  answerWith(LOST, 'no_order');
  await payment.sendCard('{}', show);
  show.mockClear();
  late.resolve(Response.json({ status: 'failed' }));
  expect(await first).toBe(payment.NOTHING_YET); // so the caller does not restart the form
  expect(show).not.toHaveBeenCalled();
  expect(await payment.sendCard('{}')).toMatchObject({ result: 'not_certain' });
});
