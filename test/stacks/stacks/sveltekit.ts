import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { payOrder } from '../order.ts';
import type { Place, Stack } from '../stack.ts';

const RECIPES = join(import.meta.dirname, '../../../examples/servers');
const SERVICE = {
  CARD_PAYMENTS_URL: 'http://127.0.0.1:3001',
  CARD_PAYMENTS_SECRET_KEY: 'sk_test_bookshop_published_key',
};

/** The recipe of docs/server-routes.md, in a fresh project. */
export const sveltekit: Stack = {
  name: 'sveltekit',
  packages: ['@sveltejs/kit', 'svelte', 'vite'],
  async make({ app }) {
    app.makeFolder();
    await app.runSteps([
      'npx sv@latest create shop --template minimal --types ts --no-add-ons --no-install',
      'cd shop',
      'npm install',
      'npm install cardseal',
      'npm install --save-dev cardseal-sandbox @types/node',
    ]);
    cpSync(join(RECIPES, 'sveltekit'), app.folder, { recursive: true });
    for (const file of ['shop.ts', 'page.ts', 'store.ts', 'web.ts'])
      app.write(`src/lib/server/${file}`, readFileSync(join(RECIPES, file), 'utf8'));
    const script = join(app.folder, 'node_modules/cardseal/dist/cardseal.js');
    app.write('static/js/cardseal.js', readFileSync(script, 'utf8'));
    await app.serve('npx', ['cardseal-sandbox']);
  },
  checks: {
    'the recipe, by `vite dev`': serveAndPay('dev'),
    'the recipe, by `vite build` and `vite preview`': async (place) => {
      await place.app.run('npm', ['run', 'check']);
      await place.app.run('npm', ['run', 'build']);
      await serveAndPay('preview')(place);
    },
  },
};

function serveAndPay(script: string) {
  return async (place: Place) => {
    const { address } = await place.app.serve('npm', ['run', script], SERVICE);
    const again = 'text=Please enter your card again';
    await payOrder(place, { address: `${address}/checkout`, again });
  };
}
