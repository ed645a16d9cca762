/** A place in a script. */
export interface Site {
  /** The path of the script, without what follows `?`; on another origin, its host comes first. */
  script: string;
  /** From 1. */
  line: number;
  /** From 1. */
  column: number;
  /** The library that made the call for the page's code, such as `jquery.js`. */
  through?: string;
  /** Other scripts that may have made the call: all of these wrap functions of the platform. */
  or?: string[];
}

interface Frame {
  url: string;
  line: number;
  column: number;
  /** It waits for the call, and does not make it. */
  isWaiting?: boolean;
}

/** jQuery alone takes more than the ten frames that Chrome keeps. */
const DEEP_ENOUGH = 60;

/** Before the page can replace it. */
const PlatformError = Error;

/** The script of the check: the first frame of a stack that is made here. */
const [own] = stack();

const pageFrames = () => stack().filter(({ url }) => url !== own?.url);

/** The place in the page's own code that the call comes from. */
export const callSite = (): Site | undefined => siteIn(pageFrames(), wrappers);

/** The same, unless a library does it by itself while the page's own code waits, or for nobody. */
export function ownSite(): Site | undefined {
  const calling = pageFrames().filter(({ isWaiting }) => !isWaiting);
  const site = siteIn(calling, wrappers);
  return site && isOfLibrary(site.script) ? undefined : site;
}

/** The scripts that have put a function of their own around one of the platform. */
const wrappers = new Set<string>();

/** Notes the script that replaces a function of the platform. */
export function noteWrapper(): void {
  const [frame] = pageFrames();
  if (frame) wrappers.add(frame.url);
}

/** The script of Cardseal. A bundle has code of the page, too. */
let scriptOfCardseal: string | undefined;

/** Notes the script that dispatches an event of Cardseal. */
export function noteCardseal(): void {
  scriptOfCardseal = pageFrames()[0]?.url;
}

/** Whether the call comes from the script of Cardseal, which reads its fields all the time. */
export const isByCardseal = (): boolean => pageFrames()[0]?.url === scriptOfCardseal;

/** Whether a script wraps functions of the platform, as monitoring does. */
export const isWrapper = ({ script }: Site): boolean => [...wrappers].map(pathOf).includes(script);

/**
 * The first frame that is neither of a library nor of a script that wraps functions of the
 * platform: such a script is in every stack. If there are only wrappers, any of them may have made
 * the call, most likely one that stands behind another. If there are only libraries, it is where
 * the last one calls: engines differ in what they show of the code that waited for it.
 */
export function siteIn(frames: Frame[], wrappers: Set<string> = new Set()): Site | undefined {
  const [last] = frames;
  if (!last) return undefined;
  const pages = frames.filter(({ url }) => !isOfLibrary(url));
  const own = pages.find(({ url }) => !wrappers.has(url));
  const behind = pages.find((it) => it.url !== last.url) || pages[1] || pages[0];
  const { url, line, column } = own || behind || last;
  const site: Site = { script: pathOf(url), line, column };
  if (url !== last.url) site.through = fileOf(last.url);
  const others = new Set(pages.map((it) => pathOf(it.url)).filter((it) => it !== site.script));
  if (!own && others.size) site.or = [...others].slice(0, MOST_SCRIPTS - 1);
  return site;
}

/** How many scripts a finding names at most. */
const MOST_SCRIPTS = 3;

function stack(): Frame[] {
  const { stackTraceLimit, prepareStackTrace } = PlatformError as Partial<ErrorConstructor>;
  // Firefox has no limit, and gives every frame. A page may format stacks, or freeze `Error`.
  const set = (limit: unknown, prepare: unknown) => {
    if (stackTraceLimit !== undefined) Reflect.set(PlatformError, 'stackTraceLimit', limit);
    if (prepareStackTrace) Reflect.set(PlatformError, 'prepareStackTrace', prepare);
  };
  set(DEEP_ENOUGH, undefined);
  const { stack: text } = new PlatformError();
  set(stackTraceLimit, prepareStackTrace);
  return typeof text === 'string' ? framesOf(text) : [];
}

/**
 * Reads stacks of Chromium (`at name (URL:1:2)`), Firefox and Safari (`name@URL:1:2`). Places that
 * await the call follow it: `at async name (URL:1:2)`, `async*name@URL:1:2`. Firefox also says who
 * set the timer or the listener that made it (`setTimeout handler*name@URL:1:2`, seen in 153 under
 * a debugger). They do not count: any script may be there, and other engines do not say it.
 */
export function framesOf(text: string): Frame[] {
  const frames: Frame[] = [];
  let isWaiting = false;
  for (const row of text.split('\n').map((it) => it.trim())) {
    const reason = /^(?!at )([\w. ]+)\*/.exec(row)?.[1]; // what Firefox writes before such a place
    if (reason && reason !== 'async') break;
    if (reason || row.startsWith('at async ')) isWaiting = true;
    const match = /([a-z][a-z-]*:\/\/\S*?):(\d+):(\d+)\)?$/i.exec(row);
    if (match) {
      const url = match[1]!.replace(/[?#].*/, '');
      frames.push({ url, line: Number(match[2]), column: Number(match[3]), isWaiting });
    }
  }
  return frames;
}

const oneOf = (...words: string[]): string => `(?:${words.join(' ').replace(/ /g, '|')})`;

/** The names of libraries' files. */
const NAME = oneOf(
  'jquery zepto prototype mootools react react-dom vue angular knockout htmx turbo rails-ujs',
  'rails_ujs jquery_ujs alpine livewire axios bootstrap parsley cleave imask inputmask lodash',
  'underscore zone polyfills? core-js stimulus backbone ember dojo cardseal',
);

/** What versions and builds add to them. */
const BUILD = oneOf(
  'v?\\d[\\w-]* min slim umd cjs esm global prod dev production development bundle latest core',
  'compat validate form payment readable es2017-umd pkgd full all',
);

const LIBRARY = new RegExp(`^${NAME}(?:[-.@]${BUILD})*\\.m?js$`, 'i');

const isOfLibrary = (url: string): boolean =>
  LIBRARY.test(fileOf(url)) || url.includes('/node_modules/');

const fileOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

function pathOf(url: string): string {
  const { origin } = location;
  return url.startsWith(`${origin}/`) ? url.slice(origin.length) : url.replace(/^https?:\/\//, '');
}
