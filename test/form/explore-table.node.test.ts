/**
 * The table of src/form/decide.ts, explored in worlds that are copied: deeper than what
 * explore.node.test.ts runs anew for each path. `node tools/explore-form.mjs` goes deeper still.
 */
import { describe, expect, test } from 'vitest';
import { ENGLISH } from '../../src/form/feedback/texts.ts';
import { loadForm } from './explore/code.ts';
import { exploreTable } from './explore/explore-table.ts';
import { TAKEN_OUT } from './explore/rules-of-table.ts';
import { TABLE_SCOPES } from './explore/scopes.ts';
import { outcomeOf, STORIES } from './explore/stories.ts';
import { decideWithout, lineOf, rulesOfTable } from './explore/without-rule.ts';
import { CLAIMS } from './explore/world.ts';

const LIMIT_MS = 120_000; // of a busy machine; alone, all scopes take about 10 s

test.each(TABLE_SCOPES)(
  'nothing that must hold is ever broken: $name',
  ({ name, ...scope }) => {
    const { worlds, transitions, faults } = exploreTable(scope);
    console.log(
      `${name}: ${worlds} worlds, ${transitions} transitions; depth ${scope.depth}, ` +
        `${scope.page} acts of the page, ${scope.shopper} of the shopper`,
    );
    expect([...faults].join('\n\n')).toBe('');
  },
  LIMIT_MS,
);

test('each text that the explorations check has the words that they check', () => {
  for (const [name, { text }] of Object.entries(CLAIMS)) {
    expect(ENGLISH[name as keyof typeof CLAIMS]).toBe(text);
  }
});

describe('without its rule', () => {
  const explored = TAKEN_OUT.filter(({ found }) => found);
  test.each(explored)('$rule ($at): $found', async ({ rule, at, instead, found, ...part }) => {
    const { setting = {}, page = 1, shopper = 1, depth } = part;
    const scope = { settings: [setting], page, shopper, depth: depth! };
    const { faults } = exploreTable(scope, await decideWithout(rule, at, instead));
    expect([...faults.keys()]).toContain(found);
  });

  const told = TAKEN_OUT.filter(({ story }) => story);
  test.each(told)('$rule ($at): $story', async ({ rule, at, instead, story }) => {
    const change = { file: 'decide.ts', from: lineOf(rule, at), to: instead };
    const named = STORIES.find(({ what }) => what === story)!;
    const outcome = await outcomeOf(await loadForm(change), named).catch(String);
    expect(outcome).not.toEqual(named.outcome);
  });

  test('each line of decide.ts that has the id of a rule is taken out', () => {
    const lines = [...rulesOfTable()].flatMap(([rule, at]) => at.map((_, i) => `${rule} (${i})`));
    const taken = new Set(TAKEN_OUT.map(({ rule, at }) => `${rule} (${at})`));
    expect([...taken].sort()).toEqual(lines.sort());
  });
});
