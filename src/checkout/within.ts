/** Something that was waited for has taken too long. It may still come. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

/** Waits for a promise, at most `ms` milliseconds. @throws TimeLimitError after that. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeLimitError(`No answer in ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
