/** So long that only what hangs takes longer, however busy the machine is. */
export const PATIENCE = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 20_000 } },
};
