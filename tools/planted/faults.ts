/**
 * Faults that would hurt somebody, by room. They were written without looking at the tests. Each
 * must be noticed: see `run.ts`.
 */
import { CHECK } from './check.ts';
import { CHECKOUT_FAULTS } from './checkout.ts';
import { CORE } from './core.ts';
import type { Fault } from './fault.ts';
import { FORM } from './form.ts';
import { PACKAGE } from './package.ts';
import { SCRIPT_TAG } from './script-tag.ts';
import { SERVER } from './server.ts';
import { SERVICE } from './service.ts';

export const FAULTS: Record<string, readonly Fault[]> = {
  core: CORE,
  form: FORM,
  server: SERVER,
  'script-tag': SCRIPT_TAG,
  check: CHECK,
  service: SERVICE,
  checkout: CHECKOUT_FAULTS,
  package: PACKAGE,
};
