/** Explores breadth first what becomes of a world: every task, and every choice of the page. */
import { decide, START } from '../../../src/form/decide.ts';
import { Run } from './simulate.ts';
import { begin, print, renumbered, type Setting, tasksOf, type World } from './world.ts';

export interface TableScope {
  readonly settings: readonly Setting[];
  /** How many acts of the page's code and of the shopper a path has at most. */
  readonly page: number;
  readonly shopper: number;
  /** How many tasks a path has at most. */
  readonly depth: number;
}

export interface TableFound {
  worlds: number;
  transitions: number;
  /** What does not hold, with the shortest path that shows it. */
  readonly faults: Map<string, string>;
}

interface Node {
  readonly world: World;
  readonly parent?: Node;
  readonly step: string;
}

export function exploreTable(scope: TableScope, decider = decide): TableFound {
  const found: TableFound = { worlds: 0, transitions: 0, faults: new Map() };
  for (const setting of scope.settings) {
    const first: Node = { world: begin(START, scope.page, scope.shopper), step: '' };
    const seen = new Set([print(first.world)]);
    let level = [first];
    for (let at = 0; at < scope.depth && level.length > 0; at++) {
      const next: Node[] = [];
      for (const node of level) {
        for (const task of tasksOf(node.world)) {
          for (const run of runsOf(node.world, task, setting, decider)) {
            found.transitions += 1;
            const step = [task, ...run.log].join('\n    ');
            if (run.fault && !found.faults.has(run.fault)) {
              found.faults.set(run.fault, `${JSON.stringify(setting)}${pathOf(node)}\n  ${step}`);
            }
            if (run.fault) continue;
            const world = renumbered(run.world);
            const key = print(world);
            if (seen.has(key)) continue;
            seen.add(key);
            next.push({ world, parent: node, step });
          }
        }
      }
      level = next;
    }
    found.worlds += seen.size;
  }
  return found;
}

/** All that may come of a task: one run for each sequence of choices. */
function* runsOf(world: World, task: string, setting: Setting, decider: typeof decide) {
  for (let given: number[] | undefined = []; given; ) {
    const wanted: number[] = given;
    const made: number[] = [];
    const sizes: number[] = [];
    const pick = <Option extends string>(options: readonly Option[]): Option => {
      const choice = wanted[made.length] ?? 0;
      made.push(choice);
      sizes.push(options.length);
      return options[choice]!;
    };
    const run = new Run(world, setting, decider, pick);
    run.run(task);
    yield run;
    given = nextChoices(made, sizes);
  }
}

/** The next sequence of choices, as a counter goes on; undefined after the last one. */
function nextChoices(made: readonly number[], sizes: readonly number[]): number[] | undefined {
  for (let i = made.length - 1; i >= 0; i--) {
    if (made[i]! + 1 < sizes[i]!) return [...made.slice(0, i), made[i]! + 1];
  }
  return undefined;
}

function pathOf(node: Node): string {
  return node.parent ? `${pathOf(node.parent)}\n  ${node.step}` : '';
}
