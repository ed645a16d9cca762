/** Starts WebKitGTK's MiniBrowser, which Playwright cannot drive, on a virtual X display. */
import { type Died, type Running, startDisplay } from './processes.ts';

/** Starts a browser at a URL. `died` is told if it ends before `run.stop()` is called. */
export type Start = (run: Running, url: string, died: Died) => Promise<void>;

/** What a WebKitGTK program needs in its environment on a virtual display. */
export const webkitEnvironment = (display: string) => ({
  DISPLAY: display,
  GDK_BACKEND: 'x11',
  NO_AT_BRIDGE: '1',
  LIBGL_ALWAYS_SOFTWARE: '1',
  WEBKIT_DISABLE_COMPOSITING_MODE: '1', // it takes half of the processor's time, for the same pages
});

export function startWebkit(miniBrowser: string, xvfb: string): Start {
  return async (run, url, died) => {
    const display = await startDisplay(run, xvfb, died);
    run.start(miniBrowser, ['--private', url], webkitEnvironment(display), died);
  };
}
