import type { BrowserContextOptions, LaunchOptions } from 'playwright';
import { type Engine, find, need } from '../../tools/prepare/browsers.ts';

/** How Playwright starts an engine: its own build, or the system's browser. */
export function launchOptions(engine: Engine): LaunchOptions {
  const { from, path } = need(engine);
  if (from === 'playwright') return {};
  if (engine === 'firefox') return { executablePath: path, ...STOCK_FIREFOX };
  return { executablePath: path };
}

/** Playwright drives a Firefox that it did not build over WebDriver BiDi. */
const STOCK_FIREFOX: LaunchOptions = { channel: 'moz-firefox' };

/**
 * The options that each context of an engine needs. Firefox ESR 153 does not know the command by
 * which Playwright sets these over BiDi: null leaves them as they are.
 */
export function contextOptions(engine: Engine): BrowserContextOptions {
  if (engine !== 'firefox' || find(engine)?.from !== 'system') return {};
  return { colorScheme: null, reducedMotion: null, forcedColors: null, contrast: null };
}
