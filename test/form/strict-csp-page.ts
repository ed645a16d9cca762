import { bindCardForm } from '../../src/form/index.ts';

/** The script of the page with the strict policy: what the test needs of it. */
export interface StrictPage {
  bindCardForm: typeof bindCardForm;
  violations: string[];
}

const violations: string[] = [];
addEventListener('securitypolicyviolation', ({ effectiveDirective }) =>
  violations.push(effectiveDirective),
);
Object.assign(window, { bindCardForm, violations } satisfies StrictPage);
