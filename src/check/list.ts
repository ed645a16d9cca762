import type { Finding, Report } from './findings.ts';

/**
 * Shows the findings in a small list above the page. It stands beside the body, so that it stays
 * when a script replaces the body, and in a shadow root, which the page's styles do not reach. It
 * sets styles as properties and makes elements one by one: a Content Security Policy without styles
 * and with Trusted Types allows that.
 */
export function findingList() {
  const host = element('cardseal-check', {
    ...{ all: 'initial', position: 'fixed', 'z-index': '2147483647' },
    ...{ 'max-width': 'min(26rem, calc(100vw - 16px))', 'box-sizing': 'border-box' },
    ...{ color: 'black', background: 'white', 'color-scheme': 'light dark' },
    ...{ font: '14px/1.4 system-ui, sans-serif', border: '2px solid', padding: '6px 8px' },
  });
  // For browsers that know the colors of the system, so that dark and light fit.
  setStyles(host, { color: 'CanvasText', background: 'Canvas' });
  host.setAttribute('role', 'region');
  host.setAttribute('aria-label', 'Cardseal check');
  const root: Node = host.attachShadow ? host.attachShadow({ mode: 'open' }) : host;

  const opener = button('', () => setOpen(!isOpen));
  const bar = element('div', { display: 'flex', 'flex-wrap': 'wrap', gap: '6px' });
  bar.append(opener, button('Move', move), button('Close', close));
  const content = element('div', { 'max-height': '40vh', overflow: 'auto' });
  content.tabIndex = 0; // to scroll it by keyboard
  content.setAttribute('role', 'group');
  content.setAttribute('aria-label', 'What the check has found');
  root.appendChild(bar);
  root.appendChild(content);

  let isOpen = window.innerWidth >= 600;
  let isClosed = false;
  let corner = 0;
  setOpen(isOpen);
  place();

  function setOpen(open: boolean): void {
    isOpen = open;
    opener.setAttribute('aria-expanded', String(open));
    content.hidden = !open;
  }

  function move(): void {
    corner = (corner + 1) % 4;
    place();
  }

  function place(): void {
    const isTop = corner >= 2;
    const isLeft = corner === 1 || corner === 2;
    setStyles(host, {
      ...{ top: isTop ? '8px' : 'auto', bottom: isTop ? 'auto' : '8px' },
      ...{ left: isLeft ? '8px' : 'auto', right: isLeft ? 'auto' : '8px' },
    });
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
    if (presses.length) children.push(numbered(presses.map(({ text }) => element('li', {}, text))));
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

const PARAGRAPH = { margin: '6px 0' };

const LIST = { margin: '6px 0', padding: '0 0 0 24px', 'overflow-wrap': 'anywhere' };

function numbered(items: HTMLElement[]): HTMLElement {
  const list = element('ol', LIST);
  list.append(...items);
  return list;
}

function itemOf(finding: Finding): HTMLElement {
  const item = element('li', { margin: '0 0 6px' });
  item.append(element('strong', {}, finding.text), ` ${finding.advice} See ${finding.help}`);
  return item;
}

const count = (number: number, what: string): string =>
  `${number} ${what}${number === 1 ? '' : 's'}`;

function button(text: string, press: () => void): HTMLElement {
  const made = element('button', { font: 'inherit', 'min-height': '28px' }, text);
  made.setAttribute('type', 'button');
  made.addEventListener('click', press);
  return made;
}

function element(name: string, styles: Styles, text = ''): HTMLElement {
  // Not `document.createElement`: an image of that name may stand in the page.
  const made = Document.prototype.createElement.call(document, name);
  setStyles(made, styles);
  made.textContent = text;
  return made;
}

interface Styles {
  [property: string]: string;
}

function setStyles({ style }: HTMLElement, styles: Styles): void {
  for (const property of Object.keys(styles)) style.setProperty(property, styles[property]!);
}
