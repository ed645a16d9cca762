import type { Stack } from './stack.ts';
import { angular, parcel, solid, svelte, webpack } from './stacks/bundlers.ts';
import { START } from './stacks/start.ts';
import { sveltekit } from './stacks/sveltekit.ts';
import { jest, vitest } from './stacks/test-tools.ts';
import { tsc } from './stacks/tsc.ts';
import { viteMasks } from './stacks/vite-masks.ts';
import { viteReact } from './stacks/vite-react.ts';

export const STACKS: Stack[] = [
  ...START,
  sveltekit,
  viteReact,
  viteMasks,
  svelte,
  solid,
  angular,
  webpack,
  parcel,
  jest,
  vitest,
  tsc,
];
