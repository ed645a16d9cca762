export { bindCardForm } from './bind-card-form.ts';
export type { CardFormBinding, CardFormOptions, ShownProblem } from './options.ts';
export type { CardProblem, FormProblem } from './texts.ts';
