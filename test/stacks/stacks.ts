import type { Stack } from './stack.ts';
import { angular, parcel, solid, svelte, webpack } from './stacks/bundlers.ts';
import { jest } from './stacks/jest.ts';
import { next } from './stacks/next.ts';
import { tsc } from './stacks/tsc.ts';
import { viteMasks } from './stacks/vite-masks.ts';
import { viteReact } from './stacks/vite-react.ts';
import { vitest } from './stacks/vitest.ts';

export const STACKS: Stack[] = [
  viteReact,
  next,
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
