/**
 * Vitest scales the frame of the tests, here by 1, since the viewport has room for it. Over WebDriver
 * BiDi, Playwright clicks in no frame with a transformation.
 */
const style = document.createElement('style');
style.textContent = '#vitest-tester { transform: none !important }';
window.parent.document.head.append(style);

export {};
