/** Undoes after each test what it has left, also in files that share their page with others. */
import { afterEach, beforeEach, vi } from 'vitest';
import { undoAll } from './form.ts';

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => {
  undoAll();
  vi.restoreAllMocks();
  vi.useRealTimers();
});
