/**
 * Functions that run in the page, each as a text of its own. They must not use anything from
 * outside themselves.
 */

/** The element that a path leads to: `selector >>> selector`, through frames and shadow roots. */
function find(path: string): HTMLElement | null {
  let scope: ParentNode | null = document;
  let element: HTMLElement | null = null;
  for (const selector of path.split(' >>> ')) {
    element = scope?.querySelector<HTMLElement>(selector) ?? null;
    scope = (element as HTMLIFrameElement)?.contentDocument ?? element?.shadowRoot ?? null;
  }
  return element;
}

/** The middle of an element, in the viewport of the tab; scrolled to if needed. */
function middle(element: HTMLElement): { x: number; y: number } {
  element.scrollIntoView({ block: 'center', inline: 'center' });
  const box = element.getBoundingClientRect();
  let x = box.x + box.width / 2;
  let y = box.y + box.height / 2;
  let frame = element.ownerDocument.defaultView!.frameElement;
  while (frame) {
    const outer = frame.getBoundingClientRect();
    x += outer.x + frame.clientLeft;
    y += outer.y + frame.clientTop;
    frame = frame.ownerDocument.defaultView!.frameElement;
  }
  return { x, y };
}

/** Focuses a control and selects what is in it, as the Tab key does. */
function enter(element: HTMLElement): void {
  element.focus();
  (element as HTMLInputElement).select?.();
}

/** Chooses in a select as a shopper does. */
function choose(element: HTMLElement, value: string): void {
  (element as HTMLSelectElement).value = value;
  for (const type of ['input', 'change']) {
    element.dispatchEvent(new Event(type, { bubbles: true }));
  }
}

export interface Message {
  text: string;
  /** In a live region, described by a focused control, or shown by the browser beside it. */
  isHeard: boolean;
  isSeen: boolean;
}

/** All messages of the page: of live regions, beside controls, and the browser's own. */
function messages(more: string): Message[] {
  const roots: (Document | ShadowRoot)[] = [document];
  for (const root of roots) {
    for (const element of root.querySelectorAll('*')) {
      const inner = (element as HTMLIFrameElement).contentDocument ?? element.shadowRoot;
      if (inner && !roots.includes(inner)) roots.push(inner);
    }
  }
  const isSeen = (element: Element): boolean => {
    const box = element.getBoundingClientRect();
    const style = element.ownerDocument.defaultView!.getComputedStyle(element);
    if (box.width < 2 || box.height < 2 || style.visibility !== 'visible') return false;
    const { scrollX, scrollY } = element.ownerDocument.defaultView!;
    if (box.right + scrollX <= 0 || box.bottom + scrollY <= 0) return false;
    for (let at: Element | null = element; at; at = at.parentElement) {
      const { display, opacity } = at.ownerDocument.defaultView!.getComputedStyle(at);
      if (display === 'none' || Number(opacity) < 0.2) return false;
    }
    return true;
  };
  const isHidden = (element: Element) => Boolean(element.closest('[aria-hidden=true], [inert]'));
  const live = '[role=alert], [role=status], [aria-live=polite], [aria-live=assertive]';
  const found: Message[] = [];
  for (const root of roots) {
    const focused = root.activeElement as HTMLInputElement | null;
    const describing = ['aria-describedby', 'aria-errormessage']
      .flatMap((name) => focused?.getAttribute(name)?.split(/\s+/) ?? [])
      .filter(Boolean);
    const selectors = [live, '[data-cardseal-status]', '[data-cardseal-message]', more];
    for (const element of root.querySelectorAll(selectors.filter(Boolean).join(', '))) {
      const text = (element as HTMLElement).innerText?.trim();
      if (!text) continue;
      const isLive = Boolean(element.closest(live)) || describing.includes(element.id);
      const isOwn = Boolean(more) && element.matches(more);
      found.push({
        text,
        isHeard: (isLive || isOwn) && !isHidden(element),
        isSeen: isSeen(element),
      });
    }
    if (focused?.validationMessage && root.ownerDocument?.hasFocus() !== false) {
      const text = `(beside the control) ${focused.validationMessage}`;
      found.push({ text, isHeard: !isHidden(focused), isSeen: isSeen(focused) });
    }
  }
  return found;
}

/** What stands in a control. */
function read(element: HTMLElement): string {
  return (element as HTMLInputElement).value;
}

function isShown(element: HTMLElement): boolean {
  return element.getClientRects().length > 0;
}

const text = (value: unknown) => JSON.stringify(value) ?? 'undefined';

/** The loader that runs these files may have functions call `__name`, which a page does not have. */
const alone = (expression: string) => `((__name) => ${expression})((named) => named)`;

/** Calls one of the functions with the element at a path; null if there is no such element. */
const withElement = (path: string, action: (element: never, ...rest: never[]) => unknown) => {
  return (...rest: unknown[]) => {
    const call = ['element', ...rest.map(text)].join(', ');
    const value = `((element) => element ? ((${action})(${call}) ?? true) : null)`;
    return alone(`${value}((${find})(${text(path)}))`);
  };
};

export const IN_PAGE = {
  element: (path: string) => alone(`(${find})(${text(path)})`),
  middle: (path: string) => withElement(path, middle)(),
  enter: (path: string) => withElement(path, enter)(),
  choose: (path: string, value: string) => withElement(path, choose)(value),
  isShown: (path: string) => withElement(path, isShown)(),
  read: (path: string) => withElement(path, read)(),
  messages: (more: string) => alone(`(${messages})(${text(more)})`),
  text: () => `document.body ? document.body.innerText : ''`,
};
