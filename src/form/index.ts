export { bindCardForm } from './bind-card-form.ts';
export type { CardProblem } from './messages.ts';
export type { CardFormBinding, CardFormOptions } from './options.ts';
