import type { Found } from '../../tools/prepare/browsers.ts';
import { launchFirefox } from '../../tools/support/firefox.ts';
import type { DrivenBrowser } from './shopper.ts';

/** The system's Firefox, over WebDriver BiDi. */
export async function startFirefox(found: Found): Promise<DrivenBrowser> {
  const browser = await launchFirefox(found);
  return {
    async newTab() {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      const complaints: string[] = [];
      const complain = (text: string) => text.includes('/favicon.ico') || complaints.push(text); // Firefox asks for an icon by itself
      page.on(
        'console',
        (message) => void (message.type() === 'error' && complain(message.text())),
      );
      page.on('pageerror', (error) => void complain((error as Error).message));
      return {
        open: async (address) => void (await page.goto(address)),
        type: (xpath, text) =>
          page
            .locator(`::-p-xpath(${xpath})`)
            .wait()
            .then(() => page.type(`::-p-xpath(${xpath})`, text)),
        click: (xpath) => page.locator(`::-p-xpath(${xpath})`).click(),
        evaluate: (expression) => page.evaluate(expression),
        complaints,
        close: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}
