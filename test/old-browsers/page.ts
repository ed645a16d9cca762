/**
 * A page in an old engine, over the DevTools protocol: real navigation, real mouse and keyboard.
 * Current browser libraries want commands that Chromium 64 does not have.
 */
import WebSocket from 'ws';

const STEP_LIMIT_MS = 10_000;

export class OldPage {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #lastId = 0;
  /** What the page's author would find in the console. */
  readonly console: string[] = [];

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => this.#receive(JSON.parse(String(data))));
  }

  /** Opens a page of its own in the engine at that address. */
  static async open(address: string): Promise<OldPage> {
    // Since Chromium 111 this has to be a PUT; older ones take it, too.
    const response = await fetch(`${address}/json/new?about:blank`, { method: 'PUT' });
    const { webSocketDebuggerUrl } = (await response.json()) as { webSocketDebuggerUrl: string };
    const socket = new WebSocket(webSocketDebuggerUrl);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const page = new OldPage(socket);
    for (const domain of ['Page', 'Runtime']) await page.#send(`${domain}.enable`);
    return page;
  }

  async goto(url: string): Promise<void> {
    await this.#send('Page.navigate', { url });
    await this.until(
      `location.href === ${JSON.stringify(url)} && document.readyState === 'complete'`,
    );
  }

  /** The value of an expression in the page. */
  async evaluate<T>(expression: string): Promise<T> {
    const answer = await this.#send('Runtime.evaluate', { expression, returnByValue: true });
    const { result, exceptionDetails } = answer as {
      result: { value: T };
      exceptionDetails?: object;
    };
    if (exceptionDetails) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
    return result.value;
  }

  /** Waits until an expression is true in the page. It may be false in one page and true in the next. */
  async until(expression: string): Promise<void> {
    const end = Date.now() + STEP_LIMIT_MS;
    while (Date.now() < end) {
      // While the page is being left, there is nothing to evaluate in.
      if (await this.evaluate<boolean>(expression).catch(() => false)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`never true: ${expression}`);
  }

  /** Clicks the middle of an element. */
  async click(selector: string): Promise<void> {
    const { x, y } = await this.evaluate<{ x: number; y: number }>(`(() => {
      const box = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
      return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
    })()`);
    const mouse = { x, y, button: 'left', clickCount: 1 };
    await this.#send('Input.dispatchMouseEvent', { ...mouse, type: 'mousePressed' });
    await this.#send('Input.dispatchMouseEvent', { ...mouse, type: 'mouseReleased' });
  }

  /** Clicks a field and types at the end of it, key by key. */
  async type(selector: string, text: string): Promise<void> {
    await this.click(selector);
    await this.#press({ key: 'End', code: 'End', windowsVirtualKeyCode: 35 });
    for (const character of text) await this.#press({ key: character, text: character });
  }

  async pressEnter(): Promise<void> {
    await this.#press({ key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' });
  }

  close(): void {
    this.#socket.close();
  }

  async #press(key: { key: string; code?: string; windowsVirtualKeyCode?: number; text?: string }) {
    await this.#send('Input.dispatchKeyEvent', { ...key, type: 'keyDown' });
    await this.#send('Input.dispatchKeyEvent', { ...key, type: 'keyUp' });
  }

  #send(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method}: no answer`)), STEP_LIMIT_MS);
      this.#waiting.set(id, ({ result, error }) => {
        clearTimeout(timer);
        if (error) reject(new Error(`${method}: ${error.message}`));
        else resolve(result);
      });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  #receive(message: Answer & Notice) {
    if (message.id !== undefined) {
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    }
    if (message.method === 'Runtime.consoleAPICalled') {
      const { type, args } = message.params;
      this.console.push(
        `${type}: ${args!.map(({ value, description }) => value ?? description).join(' ')}`,
      );
    }
    if (message.method === 'Runtime.exceptionThrown') {
      const { text, exception } = message.params.exceptionDetails!;
      this.console.push(`uncaught: ${exception?.description ?? text}`);
    }
  }
}

interface Answer {
  id?: number;
  result?: unknown;
  error?: { message: string };
}

interface Notice {
  method?: string;
  params: {
    type?: string;
    args?: { value?: unknown; description?: string }[];
    exceptionDetails?: { text: string; exception?: { description?: string } };
  };
}
