import axe from 'axe-core';
import { chromium } from 'playwright';
import { need } from '../prepare/browsers.ts';
import { holdings } from '../support/holdings.ts';

/** A person at a browser: what they see and do, in words that every engine's driver can speak. */
export interface Shopper {
  open(address: string): Promise<void>;
  /** Types into the text control with this label, key by key, or chooses in a select. */
  enter(label: string, value: string): Promise<void>;
  /** What stands in the control with this label. */
  read(label: string): Promise<string>;
  press(button: string): Promise<void>;
  follow(link: string): Promise<void>;
  reload(): Promise<void>;
  /** Waits until this text is seen. */
  see(text: string): Promise<void>;
  /** All text that can be seen. */
  text(): Promise<string>;
  /** The label or name of what has the focus. */
  focus(): Promise<string>;
  /** What keeps people with a disability from using the page, by the rules of WCAG 2.2 AA that a program can check. */
  barriers(): Promise<string[]>;
  /** Everything that the page holds. */
  holdings(): Promise<ReturnType<typeof holdings>>;
  /** What the browser had to complain of: errors of scripts, violations of the Content-Security-Policy. */
  complaints(): string[];
  close(): Promise<void>;
}

export interface Browser {
  newShopper(options?: { javaScript?: boolean; colorScheme?: 'light' | 'dark' }): Promise<Shopper>;
  close(): Promise<void>;
}

/** Another engine is one more entry here. */
export const BROWSERS: Record<string, () => Promise<Browser>> = { chromium: startChromium };

async function startChromium(): Promise<Browser> {
  const { from, path } = need('chromium');
  const browser = await chromium.launch(from === 'system' ? { executablePath: path } : {});
  return {
    async newShopper({ javaScript = true, colorScheme = 'light' } = {}) {
      const context = await browser.newContext({ javaScriptEnabled: javaScript, colorScheme });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
      page.on('pageerror', (error) => complaints.push(error.message));
      return {
        open: async (address) => void (await page.goto(address)),
        async enter(label, value) {
          const control = page.getByLabel(label);
          if (await control.evaluate((element) => element.tagName === 'SELECT')) await control.selectOption(value);
          else await control.pressSequentially(value);
        },
        read: (label) => page.getByLabel(label).inputValue(),
        press: (button) => page.getByRole('button', { name: button }).click(),
        follow: (link) => page.getByRole('link', { name: link }).click(),
        reload: async () => void (await page.reload()),
        see: (text) => page.getByText(text).first().waitFor(),
        text: () => page.locator('body').innerText(),
        focus: () => page.evaluate(() => (document.activeElement as HTMLInputElement).labels?.[0]?.textContent ?? ''),
        async barriers() {
          await page.evaluate(axe.source);
          const { violations } = await page.evaluate(() => {
            const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
            return axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] });
          });
          return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target}`));
        },
        holdings: () => page.evaluate(holdings),
        complaints: () => complaints,
        close: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}
