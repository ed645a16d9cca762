/**
 * Waits in tests take as long as they need: a busy machine may take seconds for what is done in
 * milliseconds otherwise. Vitest's own limit of one second is too short there. The configuration
 * sets the limit of `expect.poll`, which can be set there only.
 */
import { vi } from 'vitest';

const PATIENT = { timeout: 20_000 };

const { waitUntil, waitFor } = vi;
vi.waitUntil = (callback, options = PATIENT) => waitUntil(callback, options);
vi.waitFor = (callback, options = PATIENT) => waitFor(callback, options);
