/**
 * `npm run size`: what a page must load to encrypt a card, bundled alike for all: minified, then gzip and brotli at their strongest. Bytes
 * are exact, so the bounds are checked: a bound that is passed makes the command fail.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { DIST } from '../../test/support/built.ts';
import { bundle, CARDSEAL, CONTENDERS } from './contenders.ts';

/** All in bytes. */
export interface Size {
  name: string;
  label: string;
  minified: number;
  gzip: number;
  brotli: number;
  /** The most that `brotli` may be. */
  bound?: number;
}

/**
 * The plan was 2,500 bytes for the core and 7,400 for the script tag. The sizes are larger because
 * the code is written to be read, compiled for ES2018 (about 270 bytes of the script tag), and has
 * what real shops need: the rule for a press, messages that stay, other ways to pay. The texts for
 * shoppers and developers alone take about 1,000 bytes. The bounds are the measured sizes, rounded
 * up, so that growth is noticed. That of the core was 3,050: about 50 bytes keep names of a polluted
 * `Object.prototype` out of keys and errors. In the script tag, about 70 keep a press from ending in
 * silence where the page restarts the form in it, or has a `reportError` or a console that throws.
 * Two features that change places in a list can move brotli's size by 50 bytes.
 *
 * The table of decide.ts costs about 1,300 bytes of the script tag: its states, inputs and effects
 * have names that a reviewer can read, and what code of the page may end is a state of its own.
 * In the script tag, about 2,500 more keep a button where it is while it is pressed, put a text beside
 * its field and into view, search what goes out in clear text, and tell developers what is wrong.
 * About 200 more know which custom element or link the shopper has pressed (G3).
 * About 60 more announce a text in a line of the page that has another role.
 * In the core, 10 more define what an error has: a page may have frozen `Error.prototype`.
 * About 280 more empty again what a framework has filled again, and refuse a text beside a hidden
 * select.
 * About 50 more find a status line outside its form, and click a card button where it was clicked.
 * About 150 more know what else the shopper does: a page may submit at a key or a pointer, too (G3).
 * About 50 more remember another card that is begun while onEncrypted works.
 * About 70 more know which press a click has caused, and put back a hidden input that is gone.
 * About 130 more know what the browser makes of a click or Enter, so that no later task counts (G3).
 * About 50 more click a card button in its shadow root, where it was clicked.
 * About 60 more end what passes at any event of the shopper, and know what a form does not send.
 * About 40 more keep the answer of a click with a modifier key in this tab, and about 20 join lists
 * whatever the prototypes say.
 * About 60 more tell a number that `maxlength` has cut off from one with 14 or 15 digits.
 * About 110 more give the page copies of the block, enable a button that is rendered anew, and read
 * each attribute although another is wrong.
 * About 20 more leave a text as the browser has translated it.
 * About 100 more search a long text in one pass, keep a key from a second press, and pay in pages
 * that declare names of the platform.
 * About 30 more ask the platform's own form, not the page's class of one, where it is sent.
 */
const CORE_BOUND = 3_110;
const SCRIPT_TAG_BOUND = 19_290;
/**
 * The script tag, and `bindCheckout` with its requests and ten more texts: about 1,900 more. About
 * 400 more find the place of the text in a page that is rendered anew, morphed, moved or copied, and
 * know that a card may have been charged before. 150 more keep the texts of several forms in one
 * place, and tell the outcome again in a closed form that the page shows. 100 more keep a card that
 * is typed during a payment, and show the outcome in browsers that give a tapped button no focus.
 * 90 more believe no gateway, and use no element for the outcome that nobody can see. About 300 more
 * know which blocks of the page may still be charged, and which one an answer is about. 160 more
 * tell the outcome of a payment to a form that is bound again meanwhile. 60 more take away a text
 * about an earlier time, and keep the address that the page had. 100 more keep a text in front of a
 * dialog, still under a pointer that is down, and on the page when the form has gone, until the next
 * form comes.
 */
const PAY_TAG_BOUND = 22_540;

export async function measureSizes(): Promise<Size[]> {
  const sizes: Size[] = [];
  for (const { name, label } of CONTENDERS)
    sizes.push({ name, label, ...measure(await bundle(`contenders/${name}`)) });
  sizes.find(({ name }) => name === CARDSEAL)!.bound = CORE_BOUND;
  const form = await bundle('contenders/cardseal-form', ['prepare', 'encrypt', 'bindCardForm']);
  const script = readFileSync(join(DIST, 'cardseal.js'), 'utf8');
  sizes.splice(1, 0, {
    name: 'cardseal/form',
    label: '**Cardseal** with `bindCardForm`',
    ...measure(form),
  });
  sizes.splice(2, 0, {
    name: 'cardseal.js',
    label: '**Cardseal**, the script tag',
    ...measure(script),
    bound: SCRIPT_TAG_BOUND,
  });
  sizes.splice(3, 0, {
    name: 'cardseal.pay.js',
    label: '**Cardseal**, the script tag with `bindCheckout`',
    ...measure(readFileSync(join(DIST, 'cardseal.pay.js'), 'utf8')),
    bound: PAY_TAG_BOUND,
  });
  return sizes;
}

function measure(script: string) {
  const bytes = Buffer.from(script);
  return {
    minified: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes).length,
  };
}

export const isTooBig = ({ brotli, bound = Number.POSITIVE_INFINITY }: Size) => brotli > bound;

async function main() {
  const sizes = await measureSizes();
  console.table(Object.fromEntries(sizes.map(({ name, label: _, ...size }) => [name, size])));
  for (const { name, brotli, bound } of sizes.filter(isTooBig)) {
    console.error(`${name} takes ${brotli} bytes (brotli), more than its bound of ${bound}.`);
    process.exitCode = 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
