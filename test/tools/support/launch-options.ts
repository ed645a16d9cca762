import type { LaunchOptions } from 'playwright';
import { type Engine, need } from '../prepare/browsers.ts';

/** How Playwright starts an engine: its own build, or the system's. */
export function launchOptions(engine: Engine): LaunchOptions {
  const { from, path } = need(engine);
  return from === 'playwright' ? {} : { executablePath: path };
}

/** How Playwright starts a Chromium that keeps pages in its back/forward cache, as it does for shoppers. */
export function withBackForwardCache(): LaunchOptions {
  const { from, withWindows } = need('chromium');
  const build = from === 'playwright' ? { channel: 'chromium' } : { executablePath: withWindows! };
  return { ...build, ignoreDefaultArgs: ['--disable-back-forward-cache'] };
}
