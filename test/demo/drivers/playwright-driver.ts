import { chromium, firefox, webkit } from 'playwright';
import type { Engine } from '../../tools/prepare/browsers.ts';
import { launchOptions, withBackForwardCache } from '../../tools/support/launch-options.ts';
import type { DrivenBrowser } from './shopper.ts';

export async function startPlaywright(
  engine: Engine,
  backForwardCache: boolean,
): Promise<DrivenBrowser> {
  const browser = await { chromium, firefox, webkit }[engine].launch(
    backForwardCache ? withBackForwardCache() : launchOptions(engine),
  );
  return {
    async newTab({ javaScript = true, language = 'en-GB' }) {
      const settings = { javaScriptEnabled: javaScript, locale: language };
      const context = await browser.newContext(settings);
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on(
        'console',
        (message) => void (message.type() === 'error' && complaints.push(message.text())),
      );
      page.on('pageerror', (error) => complaints.push(error.message));
      const at = (xpath: string) => page.locator(`xpath=${xpath}`);
      return {
        open: async (address) => void (await page.goto(address)),
        type: (xpath, text) => at(xpath).pressSequentially(text),
        click: (xpath) => at(xpath).click(),
        evaluate: (expression) => page.evaluate(expression),
        complaints,
        close: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}
