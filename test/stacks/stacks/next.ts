import { payAt } from '../shopper.ts';
import type { Place, Stack } from '../stack.ts';

const PORT = '42174';
const ADDRESS = `http://127.0.0.1:${PORT}`;

export const next: Stack = {
  name: 'next',
  packages: ['next', 'react', 'typescript'],
  async build({ app, shop }) {
    const env = { SERVICE: shop.origin, NEXT_TELEMETRY_DISABLED: '1' };
    await app.run('next', ['build'], env);
    await app.serve('next', ['start', '--port', PORT], env, ADDRESS);
  },
  checks: {
    'native submit to a route handler, hard load': open('/checkout', true),
    'native submit to a route handler, after `<Link>`': follow('/checkout', true),
    'server action, hard load': open('/action'),
    'server action, after `<Link>`': follow('/action'),
  },
};

function open(path: string, leaves = false) {
  return (place: Place) => payAt(place, { address: ADDRESS + path, leaves });
}

function follow(path: string, leaves = false) {
  return (place: Place) => payAt(place, { address: ADDRESS, link: `a[href="${path}"]`, leaves });
}
