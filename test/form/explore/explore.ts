/** Explores breadth first what may become of a form: every task, and every choice of the page. */
import type { Bounds, FormCode, Setting } from './acts.ts';
import { Surroundings } from './surroundings.ts';

export interface Scope {
  readonly settings: readonly Setting[];
  readonly bounds: Bounds;
  /** How many tasks a path has at most. */
  readonly depth: number;
}

export interface Found {
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  /** What does not hold, with the shortest path that shows it. */
  readonly violations: Map<string, string>;
}

/** A task and the choices that the page's code made in it, by their index. */
interface Step {
  readonly task: string;
  readonly choices: readonly number[];
}

interface Node {
  readonly parent: Node | undefined;
  readonly step: Step | undefined;
  readonly tasks: readonly string[];
}

/**
 * A state is reached by running its path anew: what the code remembers between two tasks is in
 * closures, which nothing can copy.
 *
 * @param stopsAtFirst - Whether one violation is enough.
 */
export async function explore(
  code: FormCode,
  { settings, bounds, depth }: Scope,
  stopsAtFirst = false,
): Promise<Found> {
  const violations = new Map<string, string>();
  let states = 0;
  let transitions = 0;
  let reached = 0;

  for (const setting of settings) {
    for (const isKeyThere of [true, false]) {
      const seen = new Set<string>();
      const start = await run(code, setting, bounds, isKeyThere, []);
      seen.add(start.page.fingerprint());
      let level: Node[] = [{ parent: undefined, step: undefined, tasks: start.page.tasks() }];
      for (let at = 1; at <= depth && level.length > 0; at++) {
        const next: Node[] = [];
        for (const node of level) {
          const path = pathOf(node);
          for (const task of node.tasks) {
            let choices: number[] | undefined = [];
            while (choices) {
              const step: Step = { task, choices };
              const { page, sizes, made } = await run(code, setting, bounds, isKeyThere, [
                ...path,
                step,
              ]);
              transitions += 1;
              for (const what of page.violations) {
                if (!violations.has(what)) violations.set(what, describe(setting, page));
              }
              if (page.violations.length > 0 && stopsAtFirst) {
                return { states: states + seen.size, transitions, depth: at, violations };
              }
              const print = page.fingerprint();
              if (page.violations.length === 0 && !seen.has(print)) {
                seen.add(print);
                next.push({ parent: node, step: { task, choices: made }, tasks: page.tasks() });
              }
              choices = nextChoices(made, sizes);
            }
          }
        }
        level = next;
        reached = Math.max(reached, at);
      }
      states += seen.size;
    }
  }
  return { states, transitions, depth: reached, violations };
}

/** Runs a path from the beginning. Choices that the last step does not name are the first ones. */
async function run(
  code: FormCode,
  setting: Setting,
  bounds: Bounds,
  isKeyThere: boolean,
  path: readonly Step[],
) {
  let given: readonly number[] = [];
  let made: number[] = [];
  let sizes: number[] = [];
  const pick = <Option extends string>(options: readonly Option[]): Option => {
    const choice = given[made.length] ?? 0;
    made.push(choice);
    sizes.push(options.length);
    return options[choice]!;
  };
  const page = new Surroundings(code, setting, bounds, pick, isKeyThere);
  for (const { task, choices } of path) {
    given = choices;
    made = [];
    sizes = [];
    page.log.push(`- ${task}`);
    await page.runTask(task);
  }
  return { page, made, sizes };
}

/** The next sequence of choices, as a counter goes on; undefined after the last one. */
function nextChoices(made: readonly number[], sizes: readonly number[]): number[] | undefined {
  for (let i = made.length - 1; i >= 0; i--) {
    if (made[i]! + 1 < sizes[i]!) return [...made.slice(0, i), made[i]! + 1];
  }
  return undefined;
}

function pathOf(node: Node): Step[] {
  const path: Step[] = [];
  for (let at: Node | undefined = node; at?.step; at = at.parent) path.unshift(at.step);
  return path;
}

const describe = (setting: Setting, page: Surroundings) =>
  [JSON.stringify(setting), ...page.log].join('\n  ');
