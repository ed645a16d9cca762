export { bindCardForm } from './bind-card-form.ts';
export type { CardFormBinding, CardFormOptions } from './options.ts';
export type { CardProblem, FormProblem } from './texts.ts';
