/**
 * Faults that would hurt somebody, by room. They were written without looking at the tests. Each
 * must be noticed: see `run.ts`.
 */
import { CORE } from './core.ts';
import type { Fault } from './fault.ts';
import { PACKAGE } from './package.ts';
import { SCRIPT_TAG } from './script-tag.ts';
import { SERVER } from './server.ts';
import { SERVICE } from './service.ts';

export const FAULTS: Record<string, readonly Fault[]> = {
  core: CORE,
  server: SERVER,
  'script-tag': SCRIPT_TAG,
  service: SERVICE,
  package: PACKAGE,
};
