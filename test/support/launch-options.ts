import type { LaunchOptions } from 'playwright';
import { type Engine, need } from '../../tools/prepare/browsers.ts';

/** How Playwright starts an engine: its own build, or the system's. */
export function launchOptions(engine: Engine): LaunchOptions {
  const { from, path } = need(engine);
  return from === 'playwright' ? {} : { executablePath: path };
}
