/** A shopper in one visit to one shop: what they do, and what must hold then. */
import { PATIENCE } from '../support/patience.ts';
import type { Card } from './cards.ts';
import { secrets } from './cards.ts';
import { findClearText } from './clear-text.ts';
import { IN_PAGE, type Message } from './in-page.ts';
import type { Payment, Settings, ShopServer, Visit } from './server.ts';
import { DECLINED } from './server.ts';
import { type Action, fill, type Others, type Shop, type Where } from './shop.ts';
import type { Tab } from './tabs.ts';

export const KINDS = [
  'wrong card',
  'silent press',
  'double POST',
  'clear text',
  'lost fields',
  'not paid',
  'stray block',
] as const;
export type Kind = (typeof KINDS)[number];

export interface Violation {
  kind: Kind;
  detail: string;
}

/** How long the runner looks for a request that must not come, in milliseconds. */
const SETTLE = 150;

interface Point {
  x: number;
  y: number;
}

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export class Visitor {
  readonly violations: Violation[] = [];
  /** How many POSTs a script of the page has repeated, with the same block. */
  repeated = 0;
  readonly visit: Visit;
  readonly #typed: Card[] = [];

  constructor(
    readonly tab: Tab,
    server: ShopServer,
    readonly shop: Shop,
    settings: Partial<Settings> = {},
    /** How long a press may take until there is a POST or a message, in milliseconds. */
    readonly patience = PATIENCE.expect.poll.timeout,
  ) {
    this.visit = server.visit(shop, settings);
  }

  async open(): Promise<void> {
    await this.tab.open(this.visit.address);
    await this.act(this.shop.before ?? []);
  }

  async act(actions: readonly Action[]): Promise<void> {
    for (const [what, where, value] of actions) {
      if (what === 'click') await this.click(where);
      else if (what === 'choose') await this.#need(where, IN_PAGE.choose(where, value));
      else if (what === 'type') await this.write(where, value);
      else await this.#need(where, IN_PAGE.read(where));
    }
  }

  async click(where: Where): Promise<void> {
    const { x, y } = await this.#still(where);
    await this.tab.click(x, y);
  }

  /** The middle of a control that has stopped moving: a shopper does not press before. */
  async #still(where: Where): Promise<Point> {
    let before = await this.#need<Point>(where, IN_PAGE.middle(where));
    // Without script no page moves, and no page can tell that it is drawn.
    if (this.visit.settings.scriptless) return before;
    const still = await this.#inTime(0, async () => {
      await this.tab.isDrawn().catch(() => {}); // the page may be about to go
      const now = await this.#need<Point>(where, IN_PAGE.middle(where));
      const isStill = now.x === before.x && now.y === before.y;
      before = now;
      return isStill ? now : undefined;
    });
    if (!still) throw new Error(`${this.shop.name}: ${where} does not stand still`);
    return still;
  }

  /** Replaces what stands in a control, key by key. */
  async write(where: Where, text: string): Promise<void> {
    await this.#need(where, IN_PAGE.enter(where));
    if (!text) await this.tab.press('Backspace');
    else if (!this.shop.masked || this.visit.settings.scriptless) await this.tab.type(text);
    else {
      for (const key of text) {
        await this.tab.type(key);
        await this.tab.timersHaveRun();
      }
    }
  }

  /** Puts a card into the form and makes sure that it stands there. */
  async enterCard(card: Card): Promise<void> {
    this.#typed.push(card);
    const { fields, spell = (text) => text } = this.shop;
    const put = async (where: Where, text: string) => {
      const isSelect = await this.tab.evaluate(IN_PAGE.read(`${where}:is(select)`));
      if (isSelect !== null) await this.act([['choose', where, text]]);
      else if (this.shop.silent) await this.#fillSilently(where, spell(text));
      else await this.write(where, spell(text));
    };
    if (typeof fields.number === 'string') await put(fields.number, card.number);
    else {
      for (const [i, box] of fields.number.entries()) {
        await put(box, card.number.slice(i * 4, i * 4 + 4));
      }
    }
    if (fields.expiry) {
      const year = card.year.slice(-(this.shop.yearDigits ?? 2));
      await put(fields.expiry, `${card.month}/${year}`);
    } else {
      const { month } = card;
      await put(fields.month!, this.shop.monthDigits ? String(Number(month)) : month);
      await put(fields.year!, card.year.slice(-(this.shop.yearDigits ?? 4)));
    }
    await put(fields.code, card.code);
    if (typeof fields.name === 'string') await put(fields.name, card.name);
    else {
      const [given, ...family] = card.name.split(' ');
      await put(fields.name[0], given!);
      await put(fields.name[1], family.join(' '));
    }
    await this.#checkScreen(card);
  }

  /** A mistake of the runner would look like a mistake of the library. */
  async #checkScreen(card: Card): Promise<void> {
    const { number } = this.shop.fields;
    const boxes = typeof number === 'string' ? [number] : number;
    let shown = '';
    for (const box of boxes) shown += await this.tab.evaluate(IN_PAGE.read(box));
    const digits = shown
      .normalize('NFKC')
      .replace(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660));
    if (digits.replace(/\D/g, '') !== card.number) {
      throw new Error(`${this.shop.name}: the number on the screen is '${shown}'`);
    }
  }

  async #fillSilently(where: Where, text: string): Promise<void> {
    const element = `(${IN_PAGE.element(where)})`;
    await this.tab.evaluate(`(${element}.value = ${JSON.stringify(text)}, true)`);
  }

  press = (): Promise<void> => this.click(this.shop.pay);

  /** Finds Pay now, and returns how to press it while the answer to a first press is awaited. */
  async pressLater(): Promise<() => Promise<void>> {
    const { x, y } = await this.#still(this.shop.pay);
    return () => this.tab.clickAgain(x, y);
  }

  /** Presses once and waits for the payment, which must be of this card and the only one. */
  async pays(card: Card, press: () => Promise<void> = this.press): Promise<Payment | undefined> {
    const before = this.visit.payments.length;
    await press();
    return this.expectPaid(card, before);
  }

  async expectPaid(card: Card, before: number): Promise<Payment | undefined> {
    if (!(await this.#arrives(before))) {
      await this.#report('not paid', before);
      return undefined;
    }
    await pause(SETTLE);
    const payment = this.visit.payments[before]!;
    this.expectOne(before);
    this.#expectCard(payment, card);
    this.#expectOthers(payment, this.shop.others, card);
    return payment;
  }

  /** Presses once; nothing may be sent, and there must be a message. */
  async isRefused(press: () => Promise<void> = this.press): Promise<void> {
    const before = this.visit.payments.length;
    await press();
    await this.expectMessage();
    await pause(SETTLE);
    if (this.visit.payments.length > before) {
      const { card } = this.visit.payments[before]!;
      const what = card ? `a card ending in ${card.number.slice(-4)}` : 'an order without a block';
      this.#violate(card ? 'wrong card' : 'stray block', `the press sends ${what}`);
    }
  }

  /** Presses once for another payment method: no block. */
  async paysOtherwise(): Promise<void> {
    const { other, pay } = this.shop;
    const before = this.visit.payments.length;
    await this.click(other!.pay ?? pay);
    if (!(await this.#arrives(before))) {
      await this.#report('not paid', before);
      return;
    }
    await pause(SETTLE);
    this.expectOne(before);
    const payment = this.visit.payments[before]!;
    if (payment.payload) this.#violate('stray block', 'another payment method carries a block');
    this.#expectOthers(payment, other!.others, this.#typed[0]!);
  }

  /** Presses a button that is no payment: whatever it sends, it carries no block. */
  async isNoPayment(press: () => Promise<void>): Promise<void> {
    const before = this.visit.payments.length;
    await press();
    await pause(2 * SETTLE);
    const sent = this.visit.payments.slice(before);
    if (sent.some(({ payload }) => payload))
      this.#violate('stray block', 'no payment, but a block');
  }

  /** Fills in what it can and presses Pay by all means. What is sent is searched afterwards. */
  async tryWithoutScript(card: Card): Promise<void> {
    this.#typed.push(card);
    const { fields, pay, enter } = this.shop;
    const values: [Where | undefined, string][] = [
      [typeof fields.number === 'string' ? fields.number : fields.number[0], card.number],
      [typeof fields.name === 'string' ? fields.name : fields.name[0], card.name],
      [fields.expiry, `${card.month}/${card.year}`],
      [fields.code, card.code],
    ];
    const canSee = async (where: Where) => Boolean(await this.ask(IN_PAGE.isShown(where)));
    for (const [where, text] of values) {
      if (where && (await canSee(where))) await this.write(where, text);
    }
    const isThere = await this.tab.evaluate(IN_PAGE.read(values[0]![0]!));
    const hasRun = await this.tab.evaluate(`typeof Cardseal !== 'undefined'`);
    if (hasRun) throw new Error('The library runs although script is forbidden');
    if (!isThere && (await canSee(values[0]![0]!))) throw new Error('Nothing can be typed');
    if (enter !== false && (await canSee(enter ?? fields.code))) {
      await this.focus(enter ?? fields.code);
      await this.tab.press('Enter');
      await pause(SETTLE);
    }
    // Enter may have sent the form, and then the button is about to go.
    if (await canSee(pay)) await this.click(pay).catch(() => {});
    await pause(SETTLE);
    const sent = this.visit.payments;
    if (sent.some(({ payload }) => payload)) this.#violate('stray block', 'a block without script');
  }

  /** The page without the library sends what the shop's description says. */
  async sendsTheOthers(card: Card): Promise<void> {
    await this.press();
    if (!(await this.#arrives(0))) {
      this.#violate('not paid', 'no POST without the library');
      return;
    }
    this.#expectOthers(this.visit.payments[0]!, this.shop.others, card);
  }

  focus = (where: Where): Promise<unknown> => this.#need(where, IN_PAGE.enter(where));

  /** A message that can be seen and heard must come in time. */
  async expectMessage(otherThan?: string): Promise<Message | undefined> {
    let seen: Message[] = [];
    const good = await this.#inTime(50, async () => {
      seen = (await this.messages()).filter(({ text }) => text !== otherThan);
      return seen.find(({ isSeen, isHeard }) => isSeen && isHeard);
    });
    if (good) {
      await this.#checkTree(good);
      return good;
    }
    const hidden = seen.map(
      ({ text, isSeen }) => `'${text}' is ${isSeen ? 'not heard' : 'not seen'}`,
    );
    this.#violate('silent press', hidden.join('; ') || 'no message');
    return undefined;
  }

  async messages(): Promise<Message[]> {
    const shown = await this.ask<Message[]>(IN_PAGE.messages(this.shop.messages ?? ''));
    const alerts = this.tab.alerts.map((text) => ({ text, isHeard: true, isSeen: true }));
    return [...alerts, ...(shown ?? [])];
  }

  /** Waits until the shop says that the bank has declined. */
  async seesDecline(): Promise<void> {
    const seen = await this.#inTime(30, async () =>
      (await this.messages()).find(({ text }) => text.includes(DECLINED)),
    );
    if (!seen) throw new Error(`${this.shop.name} does not show that the card was declined`);
  }

  /** Everything that the server has seen of this visit is searched for the cards that were typed. */
  checkClearText(): void {
    for (const card of this.#typed) {
      const wanted = secrets(card, Boolean(this.shop.sharedName));
      for (const found of findClearText(this.visit, wanted)) this.#violate('clear text', found);
    }
  }

  /** An evaluation that a navigation may interrupt. */
  async ask<T>(expression: string): Promise<T | undefined> {
    return this.tab.evaluate<T>(expression).catch(() => undefined);
  }

  async #arrives(before: number): Promise<boolean> {
    const payment = await this.#inTime(10, async () => this.visit.payments[before]);
    return payment !== undefined;
  }

  async #report(kind: Kind, before: number): Promise<void> {
    const seen = await this.messages();
    const good = seen.filter(({ isSeen, isHeard }) => isSeen && isHeard);
    if (this.visit.payments.length > before) return;
    if (good.length)
      this.#violate(kind, `only a message: ${good.map(({ text }) => text).join('; ')}`);
    else this.#violate('silent press', 'neither a POST nor a message');
  }

  /** One press has sent at most one POST. What the page's own script repeats has the same block. */
  expectOne(before: number): void {
    const payments = this.visit.payments.slice(before);
    const count = payments.length;
    const isSame = payments.every(({ payload }) => payload === payments[0]!.payload);
    if (this.shop.repeatsItself?.includes(this.tab.engine) && isSame)
      this.repeated = Math.max(this.repeated, count - 1);
    else if (count > 1) this.#violate('double POST', `${count} POSTs`);
  }

  #expectCard(payment: Payment, expected: Card): void {
    const { card, wrong } = payment;
    if (wrong) {
      this.#violate('not paid', wrong);
      return;
    }
    if (!card) {
      this.#violate('not paid', 'the POST has no block');
      return;
    }
    for (const field of ['number', 'name', 'month', 'year', 'code'] as const) {
      if (card[field] === expected[field]) continue;
      const detail = `${field}: got '${card[field]}', on the screen '${expected[field]}'`;
      this.#violate('wrong card', detail);
    }
  }

  #expectOthers(payment: Payment, others: Others, card: Card): void {
    const got = payment.fields.filter(([name]) => name !== '');
    const expected = fill(others, card);
    if (JSON.stringify(got) === JSON.stringify(expected)) return;
    const list = (entries: [string, string][]) => new URLSearchParams(entries).toString();
    this.#violate('lost fields', `got ${list(got)}, expected ${list(expected)}`);
  }

  /** In Chromium the message must be in the accessibility tree as the browser has it. */
  async #checkTree({ text }: Message): Promise<void> {
    if (!this.tab.accessibleTexts || this.tab.alerts.includes(text)) return;
    if (text.startsWith('(beside the control)')) return;
    const isInFrame = this.shop.fields.code.includes('#shop >>>');
    if (isInFrame) return; // the tree of a frame is a tree of its own
    const texts = await this.tab.accessibleTexts();
    const [line = ''] = text.split('\n');
    if (texts.some((name) => name?.replace(/\s+/g, ' ').includes(line.replace(/\s+/g, ' '))))
      return;
    this.#violate('silent press', `'${line}' is not in the accessibility tree`);
  }

  #violate(kind: Kind, detail: string): void {
    const isKnown = this.violations.some((old) => old.kind === kind && old.detail === detail);
    if (!isKnown) this.violations.push({ kind, detail });
  }

  /** The value of an expression about an element, once the element is there. */
  async #need<T>(where: Where, expression: string): Promise<T> {
    const value = await this.#inTime(
      30,
      async () => (await this.ask<T | null>(expression)) ?? undefined,
    );
    if (value === undefined) throw new Error(`${this.shop.name} has no ${where}`);
    return value;
  }

  /**
   * Looks again and again until it finds something, with so many milliseconds between. It looks
   * once more when the time is over: on a busy machine, WebKit's driver may hang over one command
   * for that long if the page opens an `alert` just then.
   */
  async #inTime<T>(every: number, look: () => Promise<T | undefined>): Promise<T | undefined> {
    const end = Date.now() + this.patience;
    for (;;) {
      const isLast = Date.now() >= end;
      const found = await look();
      if (found !== undefined || isLast) return found;
      await pause(every);
    }
  }
}
