import { test } from 'vitest';

test('breaks the page that it runs in, so that its result is lost', async () => {
  Array.from = () => [];
  await new Promise((resolve) => setTimeout(resolve, 200));
});
