export { bindCardForm } from './bind-card-form.ts';
export type { CardProblem, FormProblem } from './feedback/texts.ts';
export type { CardFormBinding, CardFormOptions, ShownProblem } from './options.ts';
