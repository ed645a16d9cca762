/**
 * Milliseconds after a press. Safari lets only timers that the press itself has set open a window,
 * and for one second only. The other engines allow several seconds.
 */
const MOMENTS_MS = [0, 50, 100, 150, 200, 300, 400, 500, 600, 700, 800, 900];

/**
 * Call it while the event of a press is handled.
 *
 * @returns A function that waits for the next moment in which the press may open a window. It
 * resolves to `false` if there is none left.
 */
export function windowMoments(): () => Promise<boolean> {
  let momentsLeft = MOMENTS_MS.length;
  let arrive = () => {};
  for (const moment of MOMENTS_MS) {
    setTimeout(() => {
      momentsLeft -= 1;
      arrive(); // what waits goes on in this timer's task: Safari opens a window in no other
    }, moment);
  }
  return async () => {
    if (momentsLeft === 0) return false;
    await new Promise<void>((resolve) => {
      arrive = resolve;
    });
    return true;
  };
}
