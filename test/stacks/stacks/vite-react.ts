import { join } from 'node:path';
import { openPaid, payAt } from '../shopper.ts';
import type { Place, Stack } from '../stack.ts';

const PATHS = ['/action-state', '/hook-form'];

export const viteReact: Stack = {
  name: 'vite-react',
  packages: ['vite', 'react', 'react-hook-form'],
  async build({ app, shop }) {
    app.insert('src/HookForm.tsx', 'handleSubmit,', 'watch, ');
    app.insert('src/HookForm.tsx', '</form>', '<output>{JSON.stringify(watch())}</output>');
    await app.run('vite', ['build']);
    shop.root = join(app.folder, 'dist');
  },
  checks: {
    useActionState: open('/action-state'),
    'useActionState, after client-side navigation': (place) =>
      payAt(place, { address: place.shop.origin, link: 'button:text-is("/action-state")' }),
    'React Hook Form': open('/hook-form'),
    'StrictMode, by the development server': inDevelopment,
  },
};

function open(path: string) {
  return async (place: Place) => {
    const address = place.shop.origin + path;
    await payAt(place, { address });
    await openPaid(place, address);
  };
}

/** StrictMode runs effects twice in development only, and only there React warns. */
async function inDevelopment(place: Place): Promise<void> {
  const env = { SHOP: place.shop.origin };
  const { address, stop } = await place.app.serve('vite', ['--host', '127.0.0.1'], env);
  try {
    for (const path of PATHS) {
      await payAt(place, { address: address + path }).catch((error: Error) => {
        throw new Error(`${path}: ${error.message}`);
      });
    }
  } finally {
    stop();
  }
}
