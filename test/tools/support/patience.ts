/** So long that only what hangs takes longer, however busy the machine is. */
export const PATIENCE = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 20_000 } },
};

/**
 * How often a test with a real browser is tried again; the run names each test that needed it. A
 * busy machine sometimes loses a press or ends a browser, and a fault of the library fails again.
 */
export const RETRIES = Number(process.env.TEST_RETRIES ?? 0);
