import type { LaunchOptions } from 'playwright';
import { type Engine, need } from '../prepare/browsers.ts';

/**
 * What the system's Chromium leaves out. It makes a whole window for each context, and the two pages
 * behind the address bar of a window take more time than the page that is tested. Chromium reads
 * only the last such list, so the first lines repeat Playwright's own.
 */
const DISABLED_FEATURES = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...['HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'PaintHolding'],
  ...['ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect', 'AimEnabled'],
  ...['OptimizationHints', 'NetworkTimeServiceQuerying', 'PreconnectToSearch'],
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
];

/** How Playwright starts an engine: its own build, or the system's. */
export function launchOptions(engine: Engine): LaunchOptions {
  const { from, path } = need(engine);
  if (from === 'playwright') return {};
  const isChromium = engine === 'chromium';
  const args = isChromium ? [`--disable-features=${DISABLED_FEATURES.join(',')}`] : [];
  return { executablePath: path, args };
}
