/** So long that only what hangs takes longer, however busy the machine is. */
export const PATIENCE = {
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 20_000 } },
};
