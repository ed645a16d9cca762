/** The pages from zero: each is followed from an empty folder, and then orders are paid. */
import {
  isDisabledBeforeHydration,
  type OrderVisit,
  payAfterLostResponse,
  payOrder,
  payWithFault,
} from '../order.ts';
import type { Place, Stack } from '../stack.ts';
import type { Server } from '../workshop.ts';

/** What is tried after the steps of a page. */
type More = Record<string, (place: Place, sandbox: Server, page: Server) => Promise<void>>;

const types: More = {
  'the types of the same: `npm run build`': async ({ app }) => {
    await app.run('npm', ['run', 'build']);
  },
};

const rendered: More = {
  'the button is disabled until the form is bound': (place, _sandbox, { address }) =>
    isDisabledBeforeHydration(place, { address }),
};

const keyError: More = {
  'if the answer is an error about the key, another try is safe': async (
    place,
    sandbox,
    { address },
  ) => {
    sandbox.stop();
    const fault = ['--fault', 'after-key-expired', '--fault-times', '1'];
    await place.app.serve('npx', ['cardseal-sandbox', ...fault]);
    await payWithFault(place, { address });
  },
};

/** By the program that serves what was built. */
const built = (...command: [string, string[]]): More => ({
  'the same, built': async (place, _sandbox, page) => {
    page.stop(); // it may have the port
    await place.app.run('npm', ['run', 'build']);
    const { address } = await place.app.serve(...command);
    await payOrder(place, { address });
  },
});

export const START: Stack[] = [
  followed('start-html', [], { ...rendered, ...keyError }),
  followed('start-express', ['express', 'ejs'], rendered),
  followed('start-react', ['vite', 'react', 'express'], types),
  followed('start-vue', ['vite', 'vue', 'express'], types),
  followed('start-next', ['next', 'react'], {
    ...rendered,
    ...built('npm', ['start', '--', '--port', '0']),
  }),
  followed('start-sveltekit', ['@sveltejs/kit', 'svelte', 'vite'], {
    ...rendered,
    ...built('npm', ['run', 'preview']),
  }),
  followed('start-react-router', ['react-router', 'react', 'vite'], {
    ...rendered,
    ...built('npx', ['react-router-serve', 'build/server/index.js']),
  }),
  followed('start-astro', ['astro'], { ...rendered, ...built('npx', ['astro', 'preview']) }),
];

function followed(name: string, packages: string[], more: More = {}): Stack {
  let sandbox: Server;
  let page: Server;
  const visit = (): OrderVisit => ({ address: page.address });
  const others = Object.entries(more).map(([title, check]) => [
    title,
    (place: Place) => check(place, sandbox, page),
  ]);
  return {
    name,
    packages,
    async make({ app }) {
      const servers = await app.followPage(`${name}.md`);
      sandbox = servers[0]!;
      page = servers.at(-1)!;
    },
    checks: {
      [`the steps of [${name}.md](${name}.md): declined, then paid`]: (place) =>
        payOrder(place, visit()),
      'a lost response, Back and a reload': (place) => payAfterLostResponse(place, visit()),
      ...Object.fromEntries(others),
    },
  };
}
