/**
 * A random walk through a checkout: a shopper types, edits, presses, changes the way to pay, leaves
 * and comes back, while keys are late or fail, and the page refuses, sends by itself or replaces
 * its controls. After each step the promises of SECURITY.md must hold.
 *
 * `VITE_WALK_STEPS` sets the number of steps in each engine, `VITE_WALK_SEED` repeats a walk.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CardEncryptionKey, EncryptedCard } from '../../src/core/index.ts';
import type { CardFormBinding } from '../../src/form/index.ts';
import { decrypt, freshKey } from '../tools/support/core.ts';
import {
  bind,
  CARD,
  deferred,
  fill,
  html,
  open,
  type Page,
  TYPED,
  textRead,
} from '../tools/support/form.ts';

const STEPS = Number(import.meta.env.VITE_WALK_STEPS ?? 200);
const STEPS_OF_A_RUN = 25;
const SEED = Number(import.meta.env.VITE_WALK_SEED ?? 20_260_601);

/** What a shopper may type, and the card that it means; nothing if it is no card. */
const CARDS = {
  first: { typed: TYPED, card: CARD },
  second: {
    typed: { number: '5555 5555 5555 4444', name: 'Ada Byrd', expiry: '01/48', cvv: '9174' },
    card: {
      number: '5555555555554444',
      name: 'Ada Byrd',
      exp_month: '01',
      exp_year: '2048',
      cvv: '9174',
    },
  },
  third: {
    typed: { number: '6011000990139424', name: 'Ida Crane', expiry: '12 / 2047', cvv: '620' },
    card: {
      number: '6011000990139424',
      name: 'Ida Crane',
      exp_month: '12',
      exp_year: '2047',
      cvv: '620',
    },
  },
  mistyped: { typed: { ...TYPED, number: '4929 1192 8374 6508' }, card: undefined },
  halfTyped: { typed: { ...TYPED, cvv: '5' }, card: undefined },
  nothing: { typed: { number: '', name: '', expiry: '', cvv: '' }, card: undefined },
};
type Typed = keyof typeof CARDS;

/** What the page does with a submit that reaches it. */
type Listener = 'lets it go' | 'refuses' | 'sends it by fetch';

interface Arrival {
  /** The card of the block in the form's data, when the submit reached the page. */
  card: Promise<unknown> | undefined;
  data: [string, string][];
}

class Checkout {
  readonly page: Page;
  readonly binding: CardFormBinding;
  /** Submits that have reached the page. */
  readonly arrivals: Arrival[] = [];
  listener: Listener = 'lets it go';
  paysByCard = true;
  keys: 'prompt' | 'late' | 'failing' = 'prompt';
  /** Keys that have been asked for and have not come yet. */
  private late: ReturnType<typeof deferred<CardEncryptionKey>>[] = [];
  /** The card of the last block. */
  private lastSealed: unknown;
  /** A press that waits for a key, with the card that was on the screen. */
  waiting: { card: unknown } | undefined;
  private readonly requests: string[] = [];

  constructor() {
    this.page = open(
      `${html()}<input name="email" value="z@example.com"><p data-cardseal-status></p>`,
    );
    this.page.host.addEventListener('submit', (event) => this.arrive(event));
    this.binding = bind(this.page.form, { key: () => this.ask(), when: () => this.paysByCard });
    this.binding.ready.catch(() => {});
  }

  private ask() {
    if (this.keys === 'failing') return Promise.reject(new Error('no key'));
    if (this.keys === 'prompt') return freshKey();
    const key = deferred<CardEncryptionKey>();
    this.late.push(key);
    return key.promise;
  }

  private arrive(event: Event) {
    const data = [...new FormData(this.page.form)].map(([name, value]) => [name, String(value)]);
    const block = data.find(([name]) => name === 'encrypted_card')?.[1];
    const card = block ? decrypt(JSON.parse(block) as EncryptedCard) : undefined;
    this.arrivals.push({ card, data: data as [string, string][] });
    this.requests.push(JSON.stringify(data));
    if (this.listener !== 'lets it go') event.preventDefault();
  }

  /** What the fields hold, as the card that it means. */
  onScreen(): unknown {
    const values = this.page
      .controls()
      .map(({ value }) => value)
      .join('|');
    const found = Object.values(CARDS).find(({ typed }) => {
      return [typed.number, typed.name, typed.expiry, typed.cvv].join('|') === values;
    });
    return found?.card;
  }

  isEmpty = () => this.page.controls().every(({ value }) => value === '');

  /** What the shopper can read. */
  message(): string {
    return textRead(this.page) ?? '';
  }

  async keysArrive() {
    this.keys = 'prompt';
    const before = this.arrivals.length;
    for (const key of this.late.splice(0)) key.resolve(freshKey());
    if (this.waiting) await this.outcome(this.waiting.card, before);
    this.waiting = undefined;
  }

  /** A press of the button, and everything that must be true of it. */
  async press() {
    const before = this.arrivals.length;
    const wasEmpty = this.isEmpty();
    const card = this.onScreen() ?? (wasEmpty ? this.lastSealed : undefined);
    this.page.button().click();
    if (!this.paysByCard) {
      expect(this.arrivals.length, 'another way to pay reaches the page at once').toBe(before + 1);
      expect(this.arrivals[before]!.card, 'and carries no block').toBeUndefined();
      this.waiting = undefined;
      return;
    }
    await tasks(3);
    if (this.waiting) {
      expect(this.message(), 'a press while another one waits is told so').not.toBe('');
      return;
    }
    const isLate = this.late.length > 0 && this.arrivals.length === before && !this.message();
    if (isLate) this.waiting = { card };
    else await this.outcome(card, before);
  }

  /** Every press ends in one submit with the card that was on the screen, or in a message. */
  private async outcome(card: unknown, before: number) {
    const isOver = () => this.arrivals.length > before || this.message() !== '';
    for (let i = 0; i < 400 && !isOver(); i++) await tasks(1);
    expect(isOver(), 'a press is never silent').toBe(true);
    await tasks(5);
    expect(this.arrivals.length - before, 'one press is at most one submit').toBeLessThanOrEqual(1);
    const arrival = this.arrivals[before];
    if (!arrival) return;
    expect(arrival.card, 'a card payment carries a block').toBeDefined();
    expect(await arrival.card, 'of the card that was on the screen').toEqual(card);
    this.lastSealed = card;
    if (this.listener === 'sends it by fetch') await this.binding.restart().catch(() => {});
  }

  /** Nothing of a card is in any form data, whatever made it. */
  check() {
    const data = JSON.stringify([...new FormData(this.page.form)]);
    for (const text of [...this.requests, data]) {
      for (const { typed } of Object.values(CARDS)) {
        const digits = typed.number.replaceAll(' ', '');
        if (digits) expect(text.includes(digits) || text.includes(typed.number)).toBe(false);
      }
    }
  }
}

const tasks = async (count: number) => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setTimeout(resolve));
};

type Step = fc.AsyncCommand<object, Checkout>;

const step = (name: string, run: (checkout: Checkout) => unknown): Step => ({
  check: () => true,
  toString: () => name,
  async run(_, checkout) {
    await run(checkout);
    await tasks(1);
    checkout.check();
  },
});

const changed = (control: Element) => {
  for (const type of ['input', 'change']) control.dispatchEvent(new Event(type, { bubbles: true }));
};

const type = (card: Typed) =>
  step(`type ${card}`, ({ page }) => {
    fill(page, CARDS[card].typed);
    page.controls().forEach(changed);
  });

const STEPS_TO_CHOOSE: Step[] = [
  ...(['first', 'second', 'third', 'mistyped', 'halfTyped', 'nothing'] as const).map(type),
  step('autofill second, without events', ({ page }) => fill(page, CARDS.second.typed)),
  step('press', (checkout) => checkout.press()),
  step('press', (checkout) => checkout.press()),
  step('press', (checkout) => checkout.press()),
  step('press twice', async (checkout) => {
    await checkout.press();
    await checkout.press();
  }),
  step('the page lets submits go', (checkout) => {
    checkout.listener = 'lets it go';
  }),
  step('the page refuses submits', (checkout) => {
    checkout.listener = 'refuses';
  }),
  step('the page sends by fetch', (checkout) => {
    checkout.listener = 'sends it by fetch';
  }),
  step('decline', (checkout) => {
    checkout.waiting = undefined;
    checkout.binding.restart().catch(() => {});
  }),
  step('keys are late', (checkout) => {
    checkout.keys = 'late';
  }),
  step('keys arrive', (checkout) => checkout.keysArrive()),
  step('keys fail', (checkout) => {
    checkout.keys = 'failing';
  }),
  step('reset', (checkout) => {
    checkout.waiting = undefined;
    checkout.page.form.reset();
  }),
  step('pay by another way', (checkout) => {
    checkout.paysByCard = false;
  }),
  step('pay by card', (checkout) => {
    checkout.paysByCard = true;
  }),
  step('go away and come back', (checkout) => {
    checkout.waiting = undefined;
    dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
    dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
  }),
  step('the page replaces a control', ({ page }) => {
    const control = page.control('number') as HTMLInputElement;
    const copy = control.cloneNode() as HTMLInputElement;
    copy.value = control.value;
    control.replaceWith(copy);
  }),
  step('the page takes the block away', ({ page }) => {
    page.form.querySelector('[type=hidden]')?.remove();
  }),
];

test('a random walk never sends another card, never sends twice, and is never silent', async () => {
  const runs = Math.ceil(STEPS / STEPS_OF_A_RUN);
  let steps = 0;
  const counted = STEPS_TO_CHOOSE.map(
    (step): Step => ({
      check: step.check,
      toString: step.toString,
      run: (model, checkout) => {
        steps++;
        return step.run(model, checkout);
      },
    }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.commands(counted.map(fc.constant), { size: 'max', maxCommands: 2 * STEPS_OF_A_RUN }),
      async (commands) => {
        const checkout = new Checkout();
        try {
          await fc.asyncModelRun(() => ({ model: {}, real: checkout }), commands);
          await checkout.keysArrive();
        } finally {
          checkout.binding.unbind();
          checkout.page.host.parentElement!.remove();
        }
      },
    ),
    { numRuns: runs, seed: SEED, endOnFailure: false },
  );
  expect(steps).toBeGreaterThanOrEqual(STEPS / 2);
}, 120_000);
