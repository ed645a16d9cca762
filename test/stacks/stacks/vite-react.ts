import { join } from 'node:path';
import { payAt } from '../shopper.ts';
import type { Place, Stack } from '../stack.ts';

export const viteReact: Stack = {
  name: 'vite-react',
  packages: ['vite', 'react', 'react-hook-form', 'formik'],
  async build({ app, shop }) {
    await app.run('vite', ['build']);
    shop.root = join(app.folder, 'dist');
  },
  checks: {
    'useEffect, native submit': open('/native', true),
    'form action': open('/action'),
    'form action, after client-side navigation': navigate('/action'),
    useActionState: open('/action-state'),
    'useActionState, after client-side navigation': navigate('/action-state'),
    'controlled inputs, onEncrypted': open('/controlled'),
    'React Hook Form': open('/hook-form'),
    Formik: open('/formik'),
    'StrictMode, by the development server': inDevelopment,
  },
};

function open(path: string, leaves = false) {
  return (place: Place) => payAt(place, { address: place.shop.origin + path, leaves });
}

function navigate(path: string) {
  return (place: Place) =>
    payAt(place, { address: place.shop.origin, link: `button:text-is("${path}")` });
}

/** StrictMode runs effects twice in development only, and only there React warns. */
async function inDevelopment(place: Place): Promise<void> {
  const port = '42173';
  const address = `http://127.0.0.1:${port}`;
  const args = ['--host', '127.0.0.1', '--strictPort', '--port', port];
  const { stop } = await place.app.serve('vite', args, { SHOP: place.shop.origin }, address);
  try {
    for (const path of [
      '/native',
      '/action',
      '/action-state',
      '/controlled',
      '/hook-form',
      '/formik',
    ]) {
      const leaves = path === '/native';
      await payAt(place, { address: address + path, leaves }).catch((error: Error) => {
        throw new Error(`${path}: ${error.message}`);
      });
    }
  } finally {
    stop();
  }
}
