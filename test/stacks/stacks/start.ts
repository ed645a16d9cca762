/** The pages from zero: each is followed from an empty folder, and then an order is paid. */
import { payOrder, payWithFault } from '../order.ts';
import type { Place, Stack } from '../stack.ts';
import type { Server } from '../workshop.ts';

const build = {
  'the types of the same: `npm run build`': async ({ app }: Place) => {
    await app.run('npm', ['run', 'build']);
  },
};

export const startReact = followed('start-react', ['vite', 'react', 'express'], {
  ...build,
  'if the answer is an error about the key, another try is safe': async (
    place,
    sandbox,
    address,
  ) => {
    sandbox.stop();
    const fault = ['--fault', 'after-key-expired', '--fault-times', '1'];
    await place.app.serve('npx', ['cardseal-sandbox', ...fault]);
    await payWithFault(place, { address });
  },
});

export const startVue = followed('start-vue', ['vite', 'vue', 'express'], build);

export const startHtml = followed('start-html', ['express']);

const toForm = 'button:has-text("Buy")';
export const startNext = followed(
  'start-next',
  ['next', 'react'],
  {
    'the same by `next build` and `next start`': async (place) => {
      await place.app.run('npm', ['run', 'build']);
      const { address } = await place.app.serve('npm', ['start', '--', '--port', '0']);
      await payOrder(place, { address, toForm });
    },
  },
  toForm,
);

type Check = (place: Place, sandbox: Server, address: string) => Promise<void>;

function followed(
  name: string,
  packages: string[],
  more: Record<string, Check> = {},
  toForm?: string,
): Stack {
  let sandbox: Server;
  let address: string;
  const others = Object.entries(more).map(([title, check]) => [
    title,
    (place: Place) => check(place, sandbox, address),
  ]);
  return {
    name,
    packages,
    async make({ app }) {
      const servers = await app.followPage(`${name}.md`);
      sandbox = servers[0]!;
      address = servers.at(-1)!.address;
    },
    checks: {
      [`the steps of [${name}.md](${name}.md)`]: (place) => payOrder(place, { address, toForm }),
      ...Object.fromEntries(others),
    },
  };
}
