/**
 * G18: what session recorders read on a control: by these attributes they do not record its value.
 * Each row is proven with the real packages by tools/recorders; docs/recorders.md names them.
 */
const MARKS: [attribute: string, value: string][] = [
  // rrweb, and those that contain it: Sentry, PostHog, Highlight, New Relic, Amplitude, Mixpanel
  ['data-rr-is-password', 'true'],
  ['data-dd-privacy', 'mask'], // Datadog
  ['data-openreplay-obscured', ''], // OpenReplay
];

/** Keeps recorders from the values of controls. What the page has chosen itself stays. */
export function markForRecorders(controls: Element[]): void {
  for (const control of controls) {
    for (const [attribute, value] of MARKS) {
      if (!control.hasAttribute(attribute)) control.setAttribute(attribute, value);
    }
  }
}
