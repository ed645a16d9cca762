import { join } from 'node:path';
import { payAt } from '../shopper.ts';
import type { Place, Stack } from '../stack.ts';

const pay = (place: Place) => payAt(place, { address: place.shop.origin });

export const webpack: Stack = {
  name: 'webpack',
  packages: ['webpack'],
  async build({ app, shop }) {
    await app.run('webpack', []);
    shop.root = join(app.folder, 'dist');
  },
  checks: { 'a plain page with `onEncrypted`': pay },
};

/** With Parcel's defaults: it does not read `exports` then. */
export const parcel: Stack = {
  name: 'parcel',
  packages: ['parcel'],
  async build({ app, shop }) {
    await app.run('parcel', ['build', 'src/index.html', '--cache-dir', '.parcel-cache']);
    shop.root = join(app.folder, 'dist');
  },
  checks: { 'a plain page with `onEncrypted`': pay },
};

export const svelte: Stack = {
  name: 'svelte',
  packages: ['vite', 'svelte', 'svelte-check'],
  async build(place) {
    place.app.insert('src/Checkout.svelte', '<p role', '<output>{JSON.stringify(card)}</output>');
    await place.app.run('svelte-check', ['--fail-on-warnings']);
    await buildByVite(place);
  },
  checks: { 'an attachment, `bind:value`, with types': pay },
};

export const solid: Stack = {
  name: 'solid',
  packages: ['vite', 'solid-js'],
  async build(place) {
    place.app.insert('src/Checkout.jsx', '</form>', '<output>{number()}</output>');
    await buildByVite(place);
  },
  checks: { '`onMount`, signals': pay },
};

async function buildByVite({ app, shop }: Place): Promise<void> {
  await app.run('vite', ['build']);
  shop.root = join(app.folder, 'dist');
}

export const angular: Stack = {
  name: 'angular',
  packages: ['@angular/cli', '@angular/core', '@angular/forms', 'typescript'],
  async build({ app, shop }) {
    const state = '[number.value, holder.value, expiry, code].join()';
    app.insert('src/checkout.ts', '<p role', `<output>{{ ${state} }}</output>`);
    await app.run('ng', ['build']);
    shop.root = join(app.folder, 'dist/browser');
  },
  checks: { 'reactive forms and `ngModel` in one form': pay },
};
