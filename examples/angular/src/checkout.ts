import { afterRenderEffect, Component, type ElementRef, signal, viewChild } from '@angular/core';
import { FormControl, FormsModule, ReactiveFormsModule } from '@angular/forms';
import { bindCardForm, type CardFormBinding } from 'cardseal/form';
import { NOTHING_YET, type Outcome, requestKey, sendCard } from './payment';

@Component({
  selector: 'app-checkout',
  imports: [FormsModule, ReactiveFormsModule],
  template: `
    <p role="status">{{ outcome().text }}</p>
    @if (outcome().asksForCard) {
      <form #form ngNativeValidate>
        <input aria-label="E-mail" name="email" type="email" required>
        <input aria-label="Card number" autocomplete="cc-number" [formControl]="number">
        <input aria-label="Name on card" autocomplete="cc-name" [formControl]="holder">
        <input aria-label="Expiry date" autocomplete="cc-exp"
          [(ngModel)]="expiry" [ngModelOptions]="{ standalone: true }">
        <input aria-label="Security code" autocomplete="cc-csc"
          [(ngModel)]="code" [ngModelOptions]="{ standalone: true }">
        <button type="submit">Pay</button>
      </form>
    }
  `,
})
export class Checkout {
  readonly form = viewChild<ElementRef<HTMLFormElement>>('form');
  readonly number = new FormControl('');
  readonly holder = new FormControl('');
  expiry = '';
  code = '';
  readonly outcome = signal(NOTHING_YET);

  constructor() {
    let binding: CardFormBinding;
    const show = (outcome: Outcome) => {
      if (!outcome.asksForCard) binding.close(); // the card leaves the controls, too
      this.outcome.set(outcome);
    };
    afterRenderEffect((onCleanup) => {
      const form = this.form()?.nativeElement;
      if (!form) return;
      binding = bindCardForm(form, {
        key: () => requestKey(show),
        async onEncrypted(block) {
          const { result } = await sendCard(JSON.stringify(block), show);
          if (result === 'not_paid') binding.restart(); // opens the form for another card
        },
      });
      onCleanup(binding.unbind);
    });
  }
}
