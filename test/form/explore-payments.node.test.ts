/** What must come of presses in the simulated page. */
import { expect, test } from 'vitest';
import { loadForm } from './explore/code.ts';
import { outcomeOf, STORIES } from './explore/stories.ts';

const code = await loadForm();

test.each(STORIES)('what comes of a press: $what', async (story) => {
  expect(await outcomeOf(code, story)).toEqual(story.outcome);
});
