/** Undoes after each test what it has left, also in files that share their page with others. */
import { afterEach, beforeEach, vi } from 'vitest';
import { undoAll } from './form.ts';

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  // What a page's own `key` and `onEncrypted` throw goes there, and would end the run.
  vi.spyOn(window, 'reportError').mockImplementation(() => {});
});
afterEach(() => {
  undoAll();
  vi.restoreAllMocks();
  vi.useRealTimers();
});
