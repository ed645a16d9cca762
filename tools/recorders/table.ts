/** The recorders that are tried, each in the most open setting that it has, and what stops it. */
export interface Recorder {
  name: string;
  package: string;
  /** The attribute of `src/form/page/marks.ts` that it honours; none if it honours none. */
  mark?: string;
  /** How it is set up: with it, it records whatever has no mark. */
  setting: 'default' | 'open';
  /** It records values of fields in no setting. */
  recordsNoValues?: boolean;
  /** In its default setting, it records the block, and no value that is typed. */
  recordsBlock?: boolean;
  /** How long it waits before it sends, in milliseconds. */
  flushMs?: number;
}

const RRWEB = 'data-rr-is-password="true"';

export const RECORDERS: Recorder[] = [
  { name: 'rrweb', package: 'rrweb', mark: RRWEB, setting: 'default' },
  { name: 'sentry', package: '@sentry/browser', mark: RRWEB, setting: 'open' },
  { name: 'posthog', package: 'posthog-js', mark: RRWEB, setting: 'open' },
  {
    ...{ name: 'highlight', package: 'highlight.run', mark: RRWEB, setting: 'open' },
    recordsBlock: true,
  },
  {
    ...{ name: 'new-relic', package: '@newrelic/browser-agent', mark: RRWEB, setting: 'open' },
    recordsBlock: true,
  },
  {
    ...{ name: 'amplitude', package: '@amplitude/session-replay-browser', mark: RRWEB },
    setting: 'open',
    recordsBlock: true,
  },
  {
    ...{ name: 'mixpanel', package: 'mixpanel-browser', mark: RRWEB, setting: 'open' },
    flushMs: 12_000,
  },
  {
    ...{ name: 'datadog', package: '@datadog/browser-rum', setting: 'open' },
    mark: 'data-dd-privacy="mask"',
  },
  {
    ...{ name: 'openreplay', package: '@openreplay/tracker', setting: 'open' },
    mark: 'data-openreplay-obscured=""',
  },
  { name: 'rollbar', package: 'rollbar', setting: 'default' },
  { name: 'bugsnag', package: '@bugsnag/browser', setting: 'default', recordsNoValues: true },
  { name: 'elastic', package: '@elastic/apm-rum', setting: 'default', recordsNoValues: true },
  { name: 'clarity', package: 'clarity-js', setting: 'open', recordsNoValues: true },
];
