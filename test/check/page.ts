/** What the tests of the check share: a page in a frame that loads the built check first. */
import { expect, onTestFinished, vi } from 'vitest';
import { commands } from 'vitest/browser';
import type { Finding, Report } from '../../src/check/findings.ts';
import { CONTROLS, TYPED } from '../support/form.ts';
import { endpoint, TAG, visit } from '../support/tag-page.ts';

await commands.assertBuilt();

/** The card that the tests type. */
export const NUMBER = TYPED.number.replaceAll(' ', '');

export const CHECK = `<script src="/dist/cardseal.check.js" data-test-numbers="${NUMBER}"></script>`;

/** A script file of the page: its lines, with an address that ends in this name. */
export function scriptFile(code: string, name = 'shop.js') {
  const { path, say } = endpoint();
  say({ headers: { 'Content-Type': 'text/javascript' }, body: code });
  return { path: `${path}/${name}`, tag: `<script src="${path}/${name}"></script>` };
}

/** A card form as shops have it without Cardseal: each control has a name and an id. */
const OLD_CONTROLS = Object.entries(CONTROLS)
  .map(([field, html]) => html.replace('<input', `<input name="cc_${field}" id="${field}"`))
  .join('');

/** The card form of a page with Cardseal: ids, and no names. */
const NEW_CONTROLS = OLD_CONTROLS.replaceAll(/ name="\w+"/g, '');

interface Parts {
  /** The page's own script. */
  script?: string;
  /** Whether the form is Cardseal's. */
  isBound?: boolean;
  controls?: string;
  check?: string;
  attributes?: string;
  /** Instead of the form's button. */
  button?: string;
  /** Further controls of the form. */
  extra?: string;
  /** Whether code of the check fails in this page. */
  hasFault?: boolean;
}

/** A button that pays but does not submit. */
export const BUTTON = '<button type="button" id="go" data-cardseal-button>Go</button>';

/** Opens a page under the check. Its form has an empty list of findings. */
export async function open({
  script = '',
  isBound = false,
  controls = isBound ? NEW_CONTROLS : OLD_CONTROLS,
  check = CHECK,
  button = '',
  extra = '',
  hasFault = false,
  attributes,
}: Parts = {}) {
  sessionStorage.removeItem('cardseal-check');
  const shop = scriptFile(script);
  const page = await visit({
    head: `${check}${isBound ? TAG : ''}`,
    controls: button + extra + controls,
    tail: shop.tag,
    ...(attributes !== undefined && { attributes }),
  });
  const { window: opened } = page;
  onTestFinished(() => {
    const seen: string[] = opened.seen ?? []; // of a later page, which may have none
    const faults = seen.filter((text) => text.includes('a fault of the check'));
    if (!hasFault) expect(faults).toEqual([]);
  });
  const report = (): Report => page.window.CardsealCheck!.report();
  return {
    ...page,
    page,
    shop,
    report,
    get window() {
      return page.window as typeof page.window & { leak(): unknown };
    },
    /** Waits for findings. */
    async found(count = 1): Promise<Finding[]> {
      await vi.waitFor(() => expect(report().findings.length).toBeGreaterThanOrEqual(count));
      return report().findings;
    },
    /** Waits until a press is over. Pages that are open at the same time share one report. */
    async pressOver(what?: string) {
      const { pathname } = page.window.location;
      const ofPage = () => reportOf(report(), pathname);
      await vi.waitFor(() => expect(ofPage().presses, what).not.toEqual([]));
      return ofPage();
    },
    /** The text of the list, if it is there. */
    list: () => page.document.querySelector('cardseal-check')?.shadowRoot?.textContent ?? '',
  };
}

/** Runs a module of the check in a window of its own, where it may change functions of the platform. */
export async function inWindow<Module>(file: string) {
  const frame = document.createElement('iframe');
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
  frame.src = endpoint({ body: '<!doctype html>' }).path;
  document.body.append(frame);
  await loaded;
  const page = frame.contentWindow as Window & typeof globalThis;
  const url = new URL(`../../src/check/${file}`, import.meta.url).href;
  const module: Module = await page.eval(`import(${JSON.stringify(url)})`);
  return { page, module, close: () => frame.remove() };
}

/** What was found before the page was left. */
export const storedReport = (): Report => JSON.parse(sessionStorage.getItem('cardseal-check')!);

/** The part of one page. */
function reportOf({ findings, presses }: Report, path: string) {
  return {
    findings: findings.filter(({ page }) => page === path),
    presses: presses.filter(({ page }) => page === path).map(({ text }) => text),
  };
}

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
