/**
 * Features that some promised browsers lack. The library looks for each before it uses it.
 * `test/old-browsers/old-engines.test.ts` deletes each of them and pays without it.
 */
export interface Fallback {
  /** The path in MDN's compatibility data. */
  feature: string;
  /** How docs/browsers.md names it. */
  name: string;
  /** What the library does in a browser without it. */
  without: string;
  /**
   * The modules that may use it, by their path in dist/ without ending, and how often each of
   * them names it. One use more is a failure: it may be one that nothing guards.
   */
  uses: Record<string, number>;
}

export const FALLBACKS: Fallback[] = [
  {
    feature: 'api.TextEncoder.encodeInto',
    name: '`TextEncoder.encodeInto`',
    without: '`encode`, copied into place; the copy is overwritten with zeros',
    uses: { 'core/browser': 2 },
  },
  {
    feature: 'javascript.builtins.Uint8Array.fromBase64',
    name: '`Uint8Array.fromBase64`',
    without: '`atob`',
    uses: { 'core/base64': 2 },
  },
  {
    feature: 'javascript.builtins.Uint8Array.toBase64',
    name: '`Uint8Array.toBase64`',
    without: '`btoa`',
    uses: { 'core/base64': 2 },
  },
  {
    feature: 'javascript.builtins.ArrayBuffer.resizable',
    name: '`ArrayBuffer.resizable`',
    without: 'no memory can change its size, so there is nothing to refuse',
    uses: { 'core/card': 1 },
  },
  {
    feature: 'api.HTMLFormElement.requestSubmit',
    name: '`requestSubmit`',
    without: 'a click on a hidden submit button with the same name, value and `form*` attributes',
    uses: { 'form/submit': 1 },
  },
  {
    feature: 'api.SubmitEvent.submitter',
    name: '`SubmitEvent.submitter`',
    without: 'the submit button that was clicked last, in the same task',
    uses: { 'form/submit': 1 },
  },
  {
    feature: 'api.FormDataEvent.formData',
    name: 'the event `formdata`',
    without:
      'the block is in a hidden input of the form in every browser; the last comparison is left out',
    uses: { 'form/listeners': 1 },
  },
  {
    feature: 'api.Element.checkVisibility',
    name: '`checkVisibility`',
    without: '`getClientRects` alone decides whether a card field is shown',
    uses: { 'form/is-rendered': 1 },
  },
  {
    feature: 'api.AbortController',
    name: '`AbortController`',
    without: 'the `key` function gets no signal',
    uses: { 'form/key-source': 2 },
  },
  {
    feature: 'api.AbortController.abort',
    name: '`AbortController.abort`',
    without: 'as above',
    uses: { 'form/key-source': 2 },
  },
  {
    feature: 'api.AbortController.signal',
    name: '`AbortController.signal`',
    without: 'as above',
    uses: { 'form/key-source': 2 },
  },
  {
    feature: 'api.AbortSignal.aborted',
    name: '`AbortSignal.aborted`',
    without: 'as above',
    uses: { 'form/key-source': 1 },
  },
  {
    feature: 'api.reportError',
    name: '`reportError`',
    without: 'the error is thrown in a task of its own',
    uses: { 'form/report': 2 },
  },
];
