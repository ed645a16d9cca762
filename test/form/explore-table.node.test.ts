/**
 * The table of src/form/decide.ts, explored in worlds that are copied: deeper than what
 * explore.node.test.ts runs anew for each path. `node tools/explore-form.mjs` goes deeper still.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ENGLISH } from '../../src/form/feedback/texts.ts';
import { marksIn, startOf } from '../../tools/planted/plant.ts';
import { loadForm } from './explore/code.ts';
import { exploreTable } from './explore/explore-table.ts';
import { TAKEN_OUT } from './explore/rules-of-table.ts';
import { TABLE_SCOPES } from './explore/scopes.ts';
import { outcomeOf, STORIES } from './explore/stories.ts';
import { DECIDE, decideWithout } from './explore/without-rule.ts';
import { CLAIMS } from './explore/world.ts';

test.each(TABLE_SCOPES)('nothing that must hold is ever broken: $name', ({ name, ...scope }) => {
  const { worlds, transitions, faults } = exploreTable(scope);
  console.log(
    `${name}: ${worlds} worlds, ${transitions} transitions; depth ${scope.depth}, ` +
      `${scope.page} acts of the page, ${scope.shopper} of the shopper`,
  );
  expect([...faults].join('\n\n')).toBe('');
});

test('each text that the explorations check has the words that they check', () => {
  for (const [name, { text }] of Object.entries(CLAIMS)) {
    expect(ENGLISH[name as keyof typeof CLAIMS]).toBe(text);
  }
});

describe('without its rule', () => {
  const explored = TAKEN_OUT.filter(({ found }) => found);
  test.each(explored)('$at: $found', async ({ at, plant, found, ...part }) => {
    const { setting = {}, page = 1, shopper = 1, depth } = part;
    const scope = { settings: [setting], page, shopper, depth: depth! };
    const { faults } = exploreTable(scope, await decideWithout({ at, plant }));
    expect([...faults.keys()]).toContain(found);
  });

  const told = TAKEN_OUT.filter(({ story }) => story);
  test.each(told)('$at: $story', async ({ at, plant, story }) => {
    const named = STORIES.find(({ what }) => what === story)!;
    const form = await loadForm({ file: DECIDE, at, plant });
    const outcome = await outcomeOf(form, named).catch(String);
    expect(outcome).not.toEqual(named.outcome);
  });

  test('all that has the id of a rule in decide.ts is taken out', () => {
    const source = readFileSync(join(import.meta.dirname, '../..', DECIDE), 'utf8');
    const taken = TAKEN_OUT.map(({ at }) => startOf(source, at));
    const marks = marksIn(source);
    expect(marks.length).toBeGreaterThan(30);
    expect(marks.filter(({ start }) => !taken.includes(start))).toEqual([]);
  });
});
