import axe from 'axe-core';
import { chromium, type Browser as PlaywrightBrowser } from 'playwright';
import { expect, vi } from 'vitest';
import type { Engine } from '../../../tools/prepare/browsers.ts';
import { openTab, type Tab } from '../../shops/tabs.ts';
import { holdings } from '../../support/holdings.ts';
import { launchOptions } from '../../support/launch-options.ts';

/** One tab of a browser, driven. Elements are named by XPath. */
interface Driver {
  open(address: string): Promise<unknown>;
  /** Types into an element, key by key. */
  type(xpath: string, text: string): Promise<void>;
  click(xpath: string): Promise<void>;
  /** The value of a JavaScript expression in the page, as JSON has it. */
  evaluate(expression: string): Promise<unknown>;
  close(): Promise<void>;
  /** Errors of scripts and violations of the Content-Security-Policy, in Chromium. */
  complaints: string[];
}

export interface Settings {
  javaScript?: boolean;
  /** The language that the browser asks for, as a BCP 47 tag. */
  language?: string;
}

/** Starts Chromium, or prepares for a Firefox or WebKit for each shopper. */
export async function startBrowser(engine: Engine) {
  if (engine !== 'chromium')
    return {
      newShopper: async (_: Settings = {}) => new Shopper(driverOf(await openTab(engine))),
      close: async () => {},
    };
  const browser = await chromium.launch(launchOptions('chromium'));
  return {
    newShopper: async (settings: Settings = {}) => new Shopper(await newTab(browser, settings)),
    close: () => browser.close(),
  };
}

async function newTab(
  browser: PlaywrightBrowser,
  { javaScript = true, language = 'en-GB' }: Settings,
): Promise<Driver> {
  const context = await browser.newContext({ javaScriptEnabled: javaScript, locale: language });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  const at = (xpath: string) => page.locator(`xpath=${xpath}`);
  return {
    open: (address) => page.goto(address),
    type: (xpath, text) => at(xpath).pressSequentially(text),
    click: (xpath) => at(xpath).click(),
    evaluate: (expression) => page.evaluate(expression),
    complaints,
    close: () => context.close(),
  };
}

/** Clicks and types as the shops' tests do, at the middle of an element. */
function driverOf(tab: Tab): Driver {
  const click = async (xpath: string) => {
    const middle = `((element) => {
      if (!element || element.disabled) return null;
      element.scrollIntoView({ block: 'center' });
      const { x, y, width, height } = element.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    })(${elementAt(xpath)})`;
    const find = async () => (await tab.evaluate<{ x: number; y: number } | null>(middle)) ?? false;
    const { x, y } = await vi.waitUntil(find, { timeout: 30_000 });
    await tab.click(x, y);
  };
  return {
    open: (address) => tab.open(address),
    click,
    async type(xpath, text) {
      await click(xpath);
      await tab.type(text);
    },
    evaluate: (expression) => tab.evaluate(expression),
    complaints: [],
    close: () => tab.close(),
  };
}

export type Browser = Awaited<ReturnType<typeof startBrowser>>;

/** A person at a browser: what they see and do, in words that are the same in each. */
export class Shopper {
  constructor(private readonly driver: Driver) {}

  open = (address: string) => this.driver.open(address);
  close = () => this.driver.close();
  evaluate = <T>(expression: string) => this.driver.evaluate(expression) as Promise<T>;

  /** Types into the control with this label. */
  enter = (label: string, value: string) => this.driver.type(control(label), value);

  press = (name: string) => this.driver.click(button(name));

  reload = () => this.#leave('location.reload()');

  /** What stands in the control with this label. */
  read = (label: string) => this.#ask<string>(label, 'control.value');

  /** What the page itself shows beside the control with this label, in the element that describes it. */
  problemBeside = (label: string) =>
    this.#ask<string>(
      label,
      `document.getElementById(control.getAttribute('aria-describedby')).innerText`,
    );

  /** Chooses the radio button with this label. */
  choose = (label: string) => this.driver.click(`//label[${startsWith(label)}]//input`);

  /** All text that can be seen. */
  text = () => this.evaluate<string>('document.body.innerText');

  /** Waits until this text is seen. */
  async see(text: string) {
    await vi.waitFor(
      async () => {
        const seen = await this.text();
        if (!seen.includes(text)) throw new Error(`Sees not "${text}" but:\n${seen}`);
      },
      { timeout: 30_000, interval: 50 },
    );
  }

  /** The label of what has the focus. */
  focus = () => this.evaluate<string>(`document.activeElement.labels?.[0]?.textContent ?? ''`);

  holdings = () => this.evaluate<ReturnType<typeof holdings>>(`(${holdings})()`);

  /** What keeps people with a disability from using the page, by the rules of WCAG 2.2 AA that a program can check. */
  async barriers(): Promise<string[]> {
    await this.evaluate(`${axe.source}; undefined`);
    return this.evaluate(`axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] })
      .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target)))`);
  }

  complaints = () => this.driver.complaints;

  async #ask<T>(label: string, question: string): Promise<T> {
    return this.evaluate<T>(`((control) => ${question})(${elementAt(control(label))})`);
  }

  /** Leaves the page, and waits until another is there. */
  async #leave(how: string) {
    await this.evaluate(`(window.isLeft = true, ${how}, 0)`).catch(() => {}); // a page that is left may answer no more
    const isThere = `!window.isLeft && document.readyState === 'complete'`;
    await vi.waitFor(async () => expect(await this.evaluate(isThere)).toBe(true), {
      timeout: 30_000,
      interval: 50,
    });
  }
}

const elementAt = (xpath: string) =>
  `document.evaluate(${JSON.stringify(xpath)}, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue`;
const startsWith = (text: string) => `starts-with(normalize-space(), ${JSON.stringify(text)})`;
const button = (name: string) => `//button[${startsWith(name)}]`;
const control = (label: string) =>
  `//*[@id = //label[normalize-space() = ${JSON.stringify(label)}]/@for]`;
