/**
 * Starts the engines that Playwright has no build of on this machine: Debian's own Firefox, and
 * WebKitGTK's MiniBrowser on a virtual X display.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Died, type Running, startDisplay } from './processes.ts';

/** Starts a browser at a URL. `died` is told if it ends before `run.stop()` is called. */
export type Start = (run: Running, url: string, died: Died) => Promise<void>;

const FIREFOX_PREFERENCES = {
  'app.normandy.enabled': false,
  'app.update.enabled': false,
  'browser.aboutwelcome.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
  'dom.multiple_import_maps.enabled': true, // Vitest needs it in Firefox 150 and later
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,#none/v1',
  'toolkit.telemetry.server': '',
};

export function startFirefox(executable: string): Start {
  return async (run, url, died) => {
    const preferences = Object.entries(FIREFOX_PREFERENCES).map(
      ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
    );
    writeFileSync(join(run.home, 'user.js'), preferences.join(''));
    const args = ['--headless', '--no-remote', '--profile', run.home, url];
    run.start(executable, args, { MOZ_CRASHREPORTER_DISABLE: '1' }, died);
  };
}

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
