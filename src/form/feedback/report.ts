/**
 * Reports an error of the page's own code, by the platform's `reportError` (Chrome 95, Safari
 * 15.4). A page may have another function of this name, which throws.
 */
export function reportToPage(error: unknown): void {
  try {
    reportError(error);
  } catch {
    setTimeout(() => {
      throw error;
    });
  }
}

/** Tells developers. A page may have a console without the function. */
export function log(level: 'error' | 'warn' | 'info', what: unknown): void {
  try {
    console[level](what);
  } catch {
    // They have none.
  }
}
