import type { Finding, Report } from './findings.ts';

/**
 * Shows the findings in a small list above the page. It stands beside the body, so that it stays
 * when a script replaces the body, and in a shadow root, which the page's styles do not reach. It
 * sets styles by script and makes elements one by one: a Content Security Policy without styles and
 * with Trusted Types allows that.
 */
export function findingList() {
  const host = element('cardseal-check', HOST + CORNERS[0]);
  host.setAttribute('role', 'region');
  host.setAttribute('aria-label', 'Cardseal check');
  const root = host.attachShadow ? host.attachShadow({ mode: 'open' }) : host;

  const opener = button('', () => setOpen(!isOpen));
  const buttons = [opener, button('Move', move), button('Close', close)];
  const bar = element('div', 'display: flex; flex-wrap: wrap; gap: 6px', ...buttons);
  const content = element('div', 'max-height: 40vh; overflow: auto');
  content.tabIndex = 0; // to scroll it by keyboard
  content.setAttribute('role', 'group');
  content.setAttribute('aria-label', 'What the check has found');
  root.append(bar, content);

  let isOpen = window.innerWidth >= 600;
  let isClosed = false;
  let corner = 0;
  setOpen(isOpen);

  function setOpen(open: boolean): void {
    isOpen = open;
    opener.setAttribute('aria-expanded', String(open));
    content.hidden = !open;
  }

  function move(): void {
    corner = (corner + 1) % CORNERS.length;
    host.style.cssText = HOST + CORNERS[corner];
  }

  function close(): void {
    isClosed = true;
    hide();
  }

  /** Not by `remove`: that of Prototype fails for what is nowhere. */
  function hide(): void {
    host.parentNode?.removeChild(host);
  }

  function draw({ findings, presses, notices }: Report): void {
    const isEmpty = findings.length + presses.length + notices.length === 0;
    if (isClosed || isEmpty) {
      hide();
      return;
    }
    opener.textContent = `Cardseal check: ${count(findings.length, 'finding')}`;
    const children: HTMLElement[] = notices.map((text) => element('p', PARAGRAPH, text));
    if (findings.length) children.push(numbered(findings.map(itemOf)));
    else children.push(element('p', PARAGRAPH, 'Nothing is found so far.'));
    if (presses.length) children.push(numbered(presses.map(({ text }) => element('li', '', text))));
    while (content.firstChild) content.removeChild(content.firstChild);
    content.append(...children);
    if (!host.isConnected) document.documentElement.appendChild(host);
  }

  return {
    /** Shows what was found, once the page has a body. */
    show(report: Report): void {
      if (document.readyState !== 'loading') draw(report);
      else document.addEventListener('DOMContentLoaded', () => draw(report), { once: true });
    },
  };
}

/** For browsers that know the colors of the system, so that dark and light fit; and for others. */
const HOST =
  'all: initial; position: fixed; z-index: 2147483647; ' +
  'box-sizing: border-box; max-width: min(26rem, calc(100vw - 16px)); padding: 6px 8px; ' +
  'border: 2px solid; font: 14px/1.4 system-ui, sans-serif; color-scheme: light dark; ' +
  'color: black; color: CanvasText; background: white; background: Canvas; ';

const CORNERS = [
  'right: 8px; bottom: 8px',
  'left: 8px; bottom: 8px',
  'left: 8px; top: 8px',
  'right: 8px; top: 8px',
];

const PARAGRAPH = 'margin: 6px 0';

const LIST = 'margin: 6px 0; padding: 0 0 0 24px; overflow-wrap: anywhere';

const numbered = (items: HTMLElement[]): HTMLElement => element('ol', LIST, ...items);

const itemOf = ({ text, advice, help }: Finding): HTMLElement =>
  element('li', 'margin: 0 0 6px', element('strong', '', text), ` ${advice} See ${help}`);

const count = (number: number, what: string): string =>
  `${number} ${what}${number === 1 ? '' : 's'}`;

function button(text: string, press: () => void): HTMLElement {
  const made = element('button', 'font: inherit; min-height: 28px', text);
  made.setAttribute('type', 'button');
  made.addEventListener('click', press);
  return made;
}

function element(name: string, styles: string, ...children: (Node | string)[]): HTMLElement {
  // Not `document.createElement`: an image of that name may stand in the page.
  const made = Document.prototype.createElement.call(document, name);
  made.style.cssText = styles;
  made.append(...children);
  return made;
}
