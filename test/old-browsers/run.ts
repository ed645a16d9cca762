/**
 * `npm run old-browsers`: pays in real old engines, by the script tag and by the core, and runs the
 * check in them.
 * `-- --oldest` takes the oldest engine only, `-- 75 92` takes these.
 *
 * To pay means: a real page from a real server, a real key, a card typed key by key, a native
 * submit. An independent decryptor opens the block to the card that was typed, and the other
 * fields and the button that was pressed are posted, too.
 */
import { createPrivateKey } from 'node:crypto';
import type { Report } from '../../src/check/findings.ts';
import { describeBlock } from '../support/open-block.ts';
import keys from '../vectors/keys.json' with { type: 'json' };
import { ENGINES, type Engine, executableOf, start } from './engines.ts';
import { OldPage } from './page.ts';
import { openShop, type Posted, type Shop } from './shop.ts';

const TYPED = { number: '4929 1192 8374 6509', name: 'Zoë Quillow', expiry: '11/49', cvv: '583' };
const FOR_THE_CORE = { ...TYPED, number: '4929119283746509' };
const DECRYPTED = 'Pan=4929119283746509 Name=Zoë Quillow ExpMonth=11 ExpYear=2049 Cvc=583';

interface Visit {
  page: OldPage;
  shop: Shop;
}

/** Each throws if something is not as it must be. */
const CHECKS: Record<string, (visit: Visit) => Promise<void>> = {
  async 'pays by the script tag, with the second button'(visit) {
    await fill(visit, '/tag', TYPED);
    await visit.page.click('#second');
    expectPayment(await posted(visit), 'pay as gift');
  },
  async 'pays by the script tag, with Enter'(visit) {
    await fill(visit, '/tag', TYPED);
    await visit.page.pressEnter();
    expectPayment(await posted(visit), 'pay by invoice address');
  },
  async 'pays by the readable file, with the key in the page'(visit) {
    await fill(visit, '/tag-readable', TYPED);
    await visit.page.click('#first');
    expectPayment(await posted(visit), 'pay by invoice address');
  },
  async 'pays with buttons that the script has to enable'(visit) {
    await fill(visit, '/tag-disabled', TYPED);
    await visit.page.until(`!document.querySelector('#second').disabled`);
    await visit.page.click('#second');
    expectPayment(await posted(visit), 'pay as gift');
  },
  async 'asks the shopper to correct a wrong number, then pays'(visit) {
    await fill(visit, '/tag', { ...TYPED, number: '4929 1192 8374 650' });
    await visit.page.click('#second');
    await visit.page.until(`document.querySelector('#number[aria-invalid=true]')`);
    expect(visit.shop.takePosted().length === 0, 'a wrong card was posted');
    await visit.page.type('#number', '9');
    await visit.page.click('#second');
    expectPayment(await posted(visit), 'pay as gift');
  },
  async 'pays by the core'(visit) {
    await fill(visit, '/core', FOR_THE_CORE);
    await visit.page.click('#second');
    expectPayment(await posted(visit), 'pay as gift');
  },
  async 'finds a card that is sent in clear text, by the check'(visit) {
    await fill(visit, '/check', TYPED);
    await visit.page.click('#second');
    expect(String(await posted(visit)).includes(TYPED.number), 'the shop sent no number');
    const report = await visit.page.evaluate<string>(`sessionStorage.getItem('cardseal-check')`);
    const { findings } = JSON.parse(report) as Report;
    const found = findings.map(({ kind, way, control }) => `${kind}, ${way}, ${control}`);
    expect(found.join() === 'clear text, form, number', `found: ${found}`);
    const faults = visit.page.console.filter((line) => line.includes('fault of the check'));
    expect(!faults.length, faults.join());
  },
  async 'sends nothing of the card if the script cannot run'(visit) {
    await fill(visit, '/unparsable', TYPED);
    await visit.page.click('#second');
    expectNoCard(await posted(visit));
  },
  async 'sends nothing at all if the script cannot run and has to enable the button'(visit) {
    await fill(visit, '/unparsable-disabled', TYPED);
    await visit.page.click('#second');
    await visit.page.click('#number');
    await visit.page.pressEnter();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(visit.shop.takePosted().length === 0, 'the form was posted');
    const kept = await visit.page.evaluate(`document.querySelector('#number').value`);
    expect(kept === TYPED.number, 'what was typed is gone');
  },
};

async function fill({ page, shop }: Visit, path: string, card: typeof TYPED) {
  await page.goto(shop.origin + path);
  for (const [field, text] of Object.entries(card)) await page.type(`#${field}`, text);
}

/** Waits until the shop's answer is on the screen. */
async function posted({ page, shop }: Visit): Promise<Posted> {
  await page.until(`document.title === 'received'`);
  const all = shop.takePosted();
  expect(all.length === 1, `posted ${all.length} times`);
  return all[0]!;
}

function expectPayment(posted: Posted, action: string) {
  const others = posted.filter(([name]) => name !== 'encrypted_card').map(String);
  const wanted = ['order,4711', `action,${action}`];
  expect(others.sort().join() === wanted.sort().join(), `posted beside the block: ${others}`);
  const blocks = posted.filter(([name]) => name === 'encrypted_card').map(([, value]) => value);
  expect(blocks.length === 1, `posted ${blocks.length} blocks`);
  const decrypted = describeBlock(blocks[0]!, PRIVATE_KEY);
  expect(decrypted === DECRYPTED, `the block decrypts to ${decrypted}`);
}

function expectNoCard(posted: Posted) {
  const all = posted.map(String).join();
  expect(all === 'order,4711,action,pay as gift', `posted: ${all}`);
}

const { private_key } = keys.rsa.find(({ bits }) => bits === 2048)!;
const der = Buffer.from(private_key, 'base64');
const PRIVATE_KEY = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });

function expect(condition: boolean, otherwise: string) {
  if (!condition) throw new Error(otherwise);
}

/** The number of checks that failed in this engine. */
async function check(engine: Engine, shop: Shop): Promise<number> {
  const executable = await executableOf(engine);
  const { address, stop } = await start(executable);
  let failures = 0;
  try {
    const { Browser } = (await (await fetch(`${address}/json/version`)).json()) as {
      Browser: string;
    };
    expect(Browser.includes(`/${engine.version}.`), `${engine.spec} is ${Browser}`);
    console.log(`\n${Browser}`);
    for (const [title, run] of Object.entries(CHECKS)) {
      const page = await OldPage.open(address);
      shop.takePosted();
      try {
        await run({ page, shop });
        console.log(`  ok      ${title}`);
      } catch (error) {
        failures++;
        console.log(`  FAILED  ${title}: ${(error as Error).message}`);
        for (const line of page.console) console.log(`          ${line}`);
      } finally {
        page.close();
      }
    }
  } finally {
    await stop();
  }
  return failures;
}

function chosen(args: string[]): Engine[] {
  if (args.includes('--oldest')) return ENGINES.slice(0, 1);
  if (!args.length) return ENGINES;
  const engines = ENGINES.filter(({ version }) => args.includes(String(version)));
  if (engines.length === args.length) return engines;
  throw new Error(`There is no such engine. There are: ${ENGINES.map(({ version }) => version)}`);
}

const engines = chosen(process.argv.slice(2));
const shop = await openShop();
let failures = 0;
for (const engine of engines) failures += await check(engine, shop);
shop.close();
console.log(failures ? `\n${failures} checks failed` : `\nAll paid in ${engines.length} engines`);
process.exitCode = failures ? 1 : 0;
