/**
 * `npm run shops`: the controls, which show that faults are noticed, and every scenario in every
 * shop in every engine. Prints a table and the counts. Fails on any violation, and if a visit could
 * not be made. Ends by itself. Words after the command choose: engines, and parts of the names of
 * shops or scenarios. `changed`: all of that for the shops that the change touches; the others in
 * one engine only, with the scenarios that `npm test` leaves out.
 */
import { ENGINES, type Engine } from '../../tools/prepare/browsers.ts';
import { SHOPS } from './catalogue.ts';
import { changedShops, engineOf } from './choice.ts';
import { CONTROLS, noticed } from './controls.ts';
import { type Result, run, SCENARIOS, type Scenario } from './scenarios.ts';
import { ShopServer } from './server.ts';
import type { Shop } from './shop.ts';
import { openTab, type Tab } from './tabs.ts';
import { KINDS } from './visitor.ts';

/** How many browsers of each engine run at the same time. */
const BROWSERS = Number(process.env.SHOPS_BROWSERS ?? 2);

/** How long one visit may take, and the start or the end of a browser. */
const STEP_LIMIT_MS = 60_000;

/** How long everything may take. */
const RUN_LIMIT_MS = Number(process.env.SHOPS_LIMIT_MINUTES ?? 50) * 60_000;

const words = process.argv.slice(2);
const isEngine = (word: string): word is Engine => ENGINES.includes(word as Engine);
const engines = words.some(isEngine) ? words.filter(isEngine) : ENGINES;
const parts = words.filter((word) => !isEngine(word) && word !== 'changed');
/** With `changed`: the shops that all engines visit. Otherwise all engines visit every shop. */
const changed = words.includes('changed') ? changedShops() : undefined;
const shops = pick(SHOPS);
const scenarios = pick(SCENARIOS);

function pick<Item extends { name: string }>(items: readonly Item[]): readonly Item[] {
  const chosen = items.filter(({ name }) => parts.some((part) => name.includes(part)));
  return chosen.length ? chosen : items;
}

interface Visit {
  shop: Shop;
  scenario: Scenario;
}

const isMadeBy = (engine: Engine, { shop, scenario }: Visit) =>
  !changed || changed.has(shop.name) || (engineOf(shop) === engine && !scenario.main);

/** One engine: what is left to do, what is under way, and what came of the rest. */
class EngineRun {
  readonly results: Result[] = [];
  /** What the end of the run says again: each violation, and each visit that could not be made. */
  readonly faults: string[] = [];
  /** How many faults were noticed as they must be. */
  controls = 0;
  readonly #left: Visit[];
  readonly #current = new Set<string>();

  constructor(readonly engine: Engine) {
    this.#left = shops
      .flatMap((shop) => scenarios.map((scenario) => ({ shop, scenario })))
      .filter((visit) => isMadeBy(engine, visit));
  }

  /** How far it is, and what stands still if the run does not end. */
  describe(): string {
    const current = [...this.#current].join('; ') || 'between two visits';
    return `${this.engine}: ${this.#left.length} pairs left; ${current}`;
  }

  async run(): Promise<void> {
    const server = await new ShopServer().start();
    await this.#tryControls(server);
    await Promise.all(Array.from({ length: BROWSERS }, () => this.#work(server)));
    await server.stop();
    for (const problem of server.problems) this.#fail('the server', problem);
  }

  /** Each fault must be noticed. `npm test` tries the controls too, so a chosen part does not. */
  async #tryControls(server: ShopServer): Promise<void> {
    if (parts.length || changed) return;
    const tab = await limit('The start of the browser', openTab(this.engine));
    for (const control of CONTROLS) {
      const kinds = await limit('The control', noticed(tab, server, control));
      if (`${kinds}` === `${control.expected}`) this.controls += 1;
      else
        this.#fail('control', `noticed '${kinds}' instead of '${control.expected}'`, control.name);
    }
    await close(tab);
  }

  /** Makes visits in one browser until none is left. After an error the browser is a new one. */
  async #work(server: ShopServer): Promise<void> {
    let tab: Tab | undefined;
    for (let next = this.#left.shift(); next; next = this.#left.shift()) {
      const { shop, scenario } = next;
      const name = `${shop.name}, ${scenario.name}`;
      this.#current.add(name);
      try {
        tab ??= await limit('The start of the browser', openTab(this.engine));
        const result = await limit('The visit', run(tab, server, shop, scenario));
        if (result) this.#note(result);
        if (result?.error) tab = await close(tab);
      } catch (error) {
        this.#fail(shop.name, (error as Error).message, scenario.name);
        tab = await close(tab);
      }
      this.#current.delete(name);
    }
    await close(tab);
  }

  #fail(shop: string, error: string, scenario = ''): void {
    this.#note({ shop, scenario, violations: [], repeated: 0, error, ms: 0 });
  }

  #note(result: Result): void {
    this.results.push(result);
    const { shop, scenario, violations, error } = result;
    const lines = violations.map(({ kind, detail }) => `${kind}: ${detail}`);
    if (result.repeated) {
      const what = `its own script repeats a POST ${result.repeated} times, as without the library`;
      console.log(`${this.engine} ${shop}, ${scenario}: ${what}`);
    }
    if (error) lines.push(`could not be run: ${error}`);
    const faults = lines.map((line) => `${this.engine} ${shop}, ${scenario}: ${line}`);
    for (const fault of faults) console.log(fault);
    this.faults.push(...faults);
  }
}

async function limit<T>(what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`${what} takes more than ${STEP_LIMIT_MS / 1000} s`);
    timer = setTimeout(() => reject(error), STEP_LIMIT_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** A browser that does not close must not stop the run: it ends with this process. */
async function close(tab: Tab | undefined): Promise<undefined> {
  await limit('The end of the browser', Promise.resolve(tab?.close())).catch((error: Error) => {
    console.log(`${tab!.engine}: ${error.message}`);
  });
}

const runs = engines.map((engine) => new EngineRun(engine));
const start = Date.now();

/** A run that stands still fails, and says where. */
function giveUp(why: string): never {
  console.log(why);
  for (const each of runs) console.log(each.describe());
  report();
  process.exit(1);
}
const guard = setTimeout(
  () => giveUp(`The run takes more than ${RUN_LIMIT_MS / 60_000} minutes.`),
  RUN_LIMIT_MS,
);
// Playwright listens to this signal for its browsers, so it would not end the process by itself.
process.once('SIGTERM', () => giveUp('Somebody has ended the run.'));

const progress = setInterval(() => {
  console.log(runs.map((each) => each.describe()).join(' | '));
}, 60_000);

await Promise.all(runs.map((each) => each.run()));
clearTimeout(guard);
clearInterval(progress);
process.exit(report() ? 0 : 1);

/** Prints the table and the counts. Returns whether everything holds. */
function report(): boolean {
  printTable();
  const results = runs.flatMap((each) => each.results);
  const seconds = Math.round((Date.now() - start) / 1000);
  console.log(`\n${shops.length} shops, ${results.length} visits, ${seconds} s`);
  for (const { engine, results, controls } of runs) {
    console.log(`${engine}: ${controls} controls, ${count(results)}`);
  }
  console.log(`all: ${count(results)}`);
  for (const fault of runs.flatMap((each) => each.faults)) console.log(fault);
  return results.every(({ violations, error }) => !violations.length && !error);
}

function count(results: Result[]): string {
  const repeated = results.filter((it) => it.repeated > 0).length;
  const kinds = results.flatMap(({ violations }) => violations.map(({ kind }) => kind));
  const counts = KINDS.map((kind) => `${kind} ${kinds.filter((it) => it === kind).length}`);
  const errors = results.filter(({ error }) => error).length;
  return `${results.length} visits: ${counts.join(', ')}; could not be run: ${errors}; repeated by the page itself: ${repeated}`;
}

/** One letter for each engine. */
function sign(result: Result | undefined): string {
  if (!result) return ' ';
  if (result.error) return '!';
  return result.violations.length ? 'X' : '.';
}

function printTable(): void {
  const letter = (index: number) => String.fromCharCode(65 + index);
  const signs = `'.' holds, 'X' is violated, '!' could not be run, ' ' makes no sense`;
  console.log(`\nEach cell: ${engines.join(', ')}. ${signs}.\n`);
  scenarios.forEach(({ name }, i) => {
    console.log(`${letter(i)}  ${name}`);
  });
  const letters = scenarios.map((_, i) => letter(i).padEnd(4)).join('');
  console.log(`\n${' '.repeat(30)}${letters}`);
  for (const shop of shops) {
    const cells = scenarios.map((scenario) => {
      const isThis = (it: Result) => it.shop === shop.name && it.scenario === scenario.name;
      return runs
        .map(({ results }) => sign(results.find(isThis)))
        .join('')
        .padEnd(4);
    });
    console.log(shop.name.padEnd(30) + cells.join(''));
  }
}
