import { readFileSync } from 'node:fs';

const text = readFileSync('/tmp/wt/checkout/test/checkout/explore-faults.node.test.ts', 'utf8');
const table = text.slice(
  text.indexOf('= [', text.indexOf('const FAULTS')) + 2,
  text.indexOf('];\n\ntest.each'),
);
const FAULTS = eval(table + ']') as string[][];

import { build } from 'esbuild';
import { PARTS } from '/tmp/wt/checkout/test/checkout/bounds.ts';
import { explore } from '/tmp/wt/checkout/test/checkout/explore.ts';

const folder = '/tmp/wt/checkout/src/checkout';
for (const [rule, file, was, instead] of FAULTS) {
  const source = readFileSync(`${folder}/${file}`, 'utf8');
  if (source.split(was!).length !== 2) {
    console.log('NOT ONCE', rule, source.split(was!).length - 1);
    continue;
  }
  const { outputFiles } = await build({
    entryPoints: [`${folder}/checkout.ts`],
    bundle: true,
    format: 'esm',
    write: false,
    plugins: [
      {
        name: 'x',
        setup: ({ onLoad }) =>
          onLoad({ filter: new RegExp(`checkout/${file}$`) }, () => ({
            contents: source.replace(was!, () => instead!),
            loader: 'ts',
          })),
      },
    ],
  });
  const { checkoutOf } = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0]!.text).toString('base64')}`
  );
  let found = '';
  const t = process.cpuUsage().user;
  for (const part of PARTS) {
    const { violation } = await explore({ checkoutOf, ...part, timeMs: 60000 });
    if (violation) {
      found = `${violation.rule} [${part.name}]`;
      break;
    }
  }
  console.log(
    found ? 'found' : 'MISSED',
    '|',
    rule,
    '|',
    found,
    Math.round((process.cpuUsage().user - t) / 1e5) / 10,
  );
}
