/**
 * One tab in each of the three engines, driven by real key presses and real clicks. In Chromium and
 * Firefox each address opens in a new one: what the page before has begun to load could replace it.
 */
import { chromium, firefox, webkit } from 'playwright';
import { type Engine, type Found, need } from '../../tools/prepare/browsers.ts';
import { contextOptions, launchOptions } from '../support/launch-options.ts';
import { freePort } from '../support/loopback.ts';
import { Running, startDisplay } from '../support/processes.ts';
import { webkitEnvironment } from '../support/stock-browsers.ts';

export interface Tab {
  readonly engine: Engine;
  /** Texts that the page has shown by `alert` since it was opened. */
  readonly alerts: string[];
  /** No expression can be evaluated while the page waits for the answer to a POST of its form. */
  isBlindWhileSending?: boolean;
  open(address: string): Promise<void>;
  /** The value of a JavaScript expression in the page, as JSON has it. */
  evaluate<T>(expression: string): Promise<T>;
  /** Waits until the timers without delay that the page has set are over. */
  timersHaveRun(): Promise<void>;
  /** Waits until the page has drawn what its scripts have changed. */
  isDrawn(): Promise<void>;
  /** Clicks at a point of the viewport, whatever is there. The button is down for so many ms. */
  click(x: number, y: number, heldFor?: number): Promise<void>;
  /** Clicks while the page waits for the answer to a POST of the browser. */
  clickAgain(x: number, y: number): Promise<void>;
  /** Types a text into whatever has the focus. */
  type(text: string): Promise<void>;
  press(key: 'Enter' | 'Backspace' | 'Escape'): Promise<void>;
  /** Holds Enter down until it has repeated this often. */
  holdEnter(times: number): Promise<void>;
  /** Closes tabs that the page has opened. */
  closeOthers(): Promise<void>;
  /** Texts of the accessibility tree as the browser has it, where the driver can ask for it. */
  accessibleTexts?(): Promise<string[]>;
  close(): Promise<void>;
}

export async function openTab(engine: Engine): Promise<Tab> {
  const found = need(engine);
  return found.driver ? openWebkit(found) : openPlaywright(engine);
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const TIMERS_HAVE_RUN = 'new Promise((done) => setTimeout(() => setTimeout(done, 0, true)))';

/** Scripts may move things when they draw the next frame. A page in the background draws none. */
const IS_DRAWN = `new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(() => done(true)));
  setTimeout(() => done(true), 1000);
})`;

/** How often a held key repeats, in milliseconds. */
const REPEAT = 60;

/** Takes the text of a dialog of the page, and closes it. */
const accept = (texts: string[]) => (dialog: { message(): string; accept(): Promise<void> }) => {
  texts.push(dialog.message());
  dialog.accept().catch(() => {}); // the page may be gone
};

async function openPlaywright(engine: Engine): Promise<Tab> {
  const browserType = { chromium, firefox, webkit }[engine];
  const browser = await browserType.launch(launchOptions(engine));
  const context = await browser.newContext(contextOptions(engine));
  let page = await context.newPage();
  const alerts: string[] = [];
  const left = new WeakSet<object>();
  const tab: Tab = {
    engine,
    alerts,
    async open(address) {
      const before = page;
      page = await context.newPage();
      // Nobody waits for it: about one in 400 pages of Chromium 156 never tells that it has closed.
      left.add(before);
      before.close().catch(() => {});
      alerts.length = 0;
      page.on('dialog', accept(alerts));
      await page.goto(address);
    },
    evaluate: (expression) => page.evaluate(expression) as Promise<never>,
    timersHaveRun: () => page.evaluate(TIMERS_HAVE_RUN) as Promise<never>,
    isDrawn: () => page.evaluate(IS_DRAWN) as Promise<never>,
    click: (x, y, heldFor = 0) => page.mouse.click(x, y, { delay: heldFor }),
    clickAgain: (x, y) => page.mouse.click(x, y),
    type: (text) => page.keyboard.type(text),
    press: (key) => page.keyboard.press(key),
    async holdEnter(times) {
      for (let i = 0; i < times; i++) {
        await page.keyboard.down('Enter');
        await pause(REPEAT);
      }
      await page.keyboard.up('Enter');
    },
    async closeOthers() {
      const others = context.pages().filter((other) => other !== page && !left.has(other));
      await Promise.all(others.map((other) => other.close()));
    },
    close: () => browser.close(),
  };
  if (engine === 'chromium') {
    tab.isBlindWhileSending = true;
    tab.accessibleTexts = async () => {
      const session = await context.newCDPSession(page);
      const { nodes } = await session.send('Accessibility.getFullAXTree');
      const texts = nodes.filter(({ ignored }) => !ignored);
      return texts.flatMap(({ name, description }) => [name?.value, description?.value]);
    };
  }
  return tab;
}

/** How long one command may take. */
const COMMAND_LIMIT_MS = 45_000;

/** WebDriver's code points for keys without a character. */
const KEYS = { Enter: '\uE007', Backspace: '\uE003', Escape: '\uE00C' };

/** The system's WebKitGTK on a virtual display (https://www.w3.org/TR/webdriver2/). */
async function openWebkit({ path, xvfb, driver }: Found): Promise<Tab> {
  const run = new Running();
  let whyDead: Error | undefined;
  const died = (why: Error) => {
    whyDead ??= why;
  };
  const display = await startDisplay(run, xvfb!, died);
  const port = await freePort(); // WebKitWebDriver takes no port 0
  run.start(driver!, [`--port=${port}`], webkitEnvironment(display), died);

  async function call<T>(method: string, command: string, parameters?: object): Promise<T> {
    if (whyDead) throw whyDead;
    const body = parameters ? { body: JSON.stringify(parameters) } : {};
    const signal = AbortSignal.timeout(COMMAND_LIMIT_MS);
    const response = await fetch(`http://127.0.0.1:${port}${command}`, { method, signal, ...body });
    type Answer = { value: T & { error: string; message: string } };
    const { value } = (await response.json()) as Answer;
    if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  }

  for (let tries = 0; ; tries++) {
    try {
      await call('GET', '/status');
      break;
    } catch (error) {
      if (tries === 100) throw error;
      await pause(100);
    }
  }
  const capabilities = {
    alwaysMatch: {
      'webkitgtk:browserOptions': { binary: path, args: ['--automation'] },
      pageLoadStrategy: 'none', // else each command waits while an answer is slow
      unhandledPromptBehavior: 'ignore',
    },
  };
  const created = await call<{ sessionId: string }>('POST', '/session', { capabilities });
  const session = `/session/${created.sessionId}`;
  const main = await call<string>('GET', `${session}/window`);
  const act = (actions: object[]) => call('POST', `${session}/actions`, { actions });
  const keys = (actions: object[]) => act([{ type: 'key', id: 'keys', actions }]);
  const stroke = (value: string) => [
    { type: 'keyDown', value },
    { type: 'keyUp', value },
  ];
  const alerts: string[] = [];
  const evaluate = async <T>(expression: string): Promise<T> => {
    const command = { script: `return (${expression})`, args: [] };
    const run = () => call<T>('POST', `${session}/execute/sync`, command);
    return run().catch(async (error: Error) => {
      if (!error.message.startsWith('unexpected alert open')) throw error;
      alerts.push(await call<string>('GET', `${session}/alert/text`));
      await call('POST', `${session}/alert/accept`, {});
      return run();
    });
  };
  const hasEnded = async (promise: string) => {
    const script = `const done = arguments[0]; (${promise}).then(done);`;
    await call('POST', `${session}/execute/async`, { script, args: [] });
  };
  return {
    engine: 'webkit',
    alerts,
    async open(address) {
      await call('POST', `${session}/url`, { url: address });
      alerts.length = 0;
      const isThere = `document.readyState === 'complete' && location.href`;
      for (let tries = 0; tries < 1500; tries++) {
        if ((await evaluate(isThere).catch(() => '')) === address) return;
        await pause(20);
      }
      throw new Error(`${address} does not load`);
    },
    evaluate,
    timersHaveRun: () => hasEnded(TIMERS_HAVE_RUN),
    isDrawn: () => hasEnded(IS_DRAWN),
    async clickAgain(x, y) {
      // This driver waits with real clicks until the answer is there.
      await evaluate(`(${clickAt}(document, ${x}, ${y}), true)`);
    },
    click: async (x, y, heldFor = 0) => {
      const move = { type: 'pointerMove', x: Math.round(x), y: Math.round(y), duration: 0 };
      const click = [
        { type: 'pointerDown', button: 0 },
        { type: 'pause', duration: heldFor },
        { type: 'pointerUp', button: 0 },
      ];
      await act([{ type: 'pointer', id: 'mouse', actions: [move, ...click] }]);
    },
    type: async (text) => void (await keys([...text].flatMap(stroke))),
    press: async (key) => void (await keys(stroke(KEYS[key]))),
    async holdEnter(times) {
      await keys(stroke(KEYS.Enter));
      // This driver does not repeat a key that is down.
      for (let i = 1; i < times; i++) {
        await evaluate(`(${repeatEnter}(document), true)`).catch(() => {}); // the page may be gone
        await pause(REPEAT);
      }
    },
    async closeOthers() {
      const handles = await call<string[]>('GET', `${session}/window/handles`);
      for (const handle of handles.filter((handle) => handle !== main)) {
        await call('POST', `${session}/window`, { handle });
        await call('DELETE', `${session}/window`);
      }
      if (handles.length > 1) await call('POST', `${session}/window`, { handle: main });
    },
    async close() {
      await call('DELETE', session).catch(() => {});
      await run.stop();
    },
  };
}

/** Runs in the page: clicks what is at a point, also within frames and shadow roots. */
function clickAt(root: Document | ShadowRoot, x: number, y: number): void {
  const element = root.elementFromPoint(x, y) as HTMLIFrameElement | null;
  if (element?.contentDocument) {
    const box = element.getBoundingClientRect();
    const inFrame = { x: x - box.x - element.clientLeft, y: y - box.y - element.clientTop };
    clickAt(element.contentDocument, inFrame.x, inFrame.y);
  } else if (element?.shadowRoot) {
    clickAt(element.shadowRoot, x, y);
  } else {
    element?.click();
  }
}

/** Runs in the page: what a browser does when Enter is down and repeats. */
function repeatEnter(root: Document | ShadowRoot): void {
  const element = root.activeElement as HTMLIFrameElement & HTMLInputElement;
  const inner = element?.contentDocument ?? element?.shadowRoot;
  if (inner) {
    repeatEnter(inner);
    return;
  }
  const init = { key: 'Enter', repeat: true, bubbles: true, composed: true, cancelable: true };
  const isWanted = element?.dispatchEvent(new KeyboardEvent('keydown', init));
  const buttons = [...(element?.form?.elements ?? [])] as HTMLButtonElement[];
  if (isWanted) buttons.find(({ type, disabled }) => type === 'submit' && !disabled)?.click();
}
