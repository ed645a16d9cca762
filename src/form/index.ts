/**
 * Makes a form encrypt its card before the browser submits it, or before your script sends it.
 *
 * What a press does, and the ways to send the card: docs/form.md. Importing it does nothing.
 */

export { bindCardForm } from './bind-card-form.ts';
export type { CardProblem, FormProblem } from './feedback/texts.ts';
export type { CardFormBinding, CardFormOptions, ShownProblem } from './options.ts';
