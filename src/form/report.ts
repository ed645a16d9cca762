/** Reports an error of the page's own code. `reportError` came with Chrome 95 and Safari 15.4. */
export function reportToPage(error: unknown): void {
  if (typeof reportError === 'function') {
    reportError(error);
  } else {
    setTimeout(() => {
      throw error;
    });
  }
}
