import {
  type AfterViewInit,
  Component,
  type ElementRef,
  type OnDestroy,
  signal,
  viewChild,
} from '@angular/core';
import { FormControl, FormsModule, ReactiveFormsModule } from '@angular/forms';
import { bindCardForm, type CardFormBinding } from 'cardseal/form';
import { NOTHING_YET, type Outcome, requestKey, sendCard } from './payment';

@Component({
  selector: 'app-checkout',
  imports: [FormsModule, ReactiveFormsModule],
  template: `
    <form #form ngNativeValidate>
      <input aria-label="E-mail" name="email" type="email" required>
      <input aria-label="Card number" autocomplete="cc-number" [formControl]="number">
      <input aria-label="Name on card" autocomplete="cc-name" [formControl]="holder">
      <input aria-label="Expiry date" autocomplete="cc-exp"
        [(ngModel)]="expiry" [ngModelOptions]="{ standalone: true }">
      <input aria-label="Security code" autocomplete="cc-csc"
        [(ngModel)]="code" [ngModelOptions]="{ standalone: true }">
      <button type="submit">Pay</button>
      <p role="status">{{ outcome().text }}</p>
    </form>
  `,
})
export class Checkout implements AfterViewInit, OnDestroy {
  readonly form = viewChild.required<ElementRef<HTMLFormElement>>('form');
  readonly number = new FormControl('');
  readonly holder = new FormControl('');
  expiry = '';
  code = '';
  readonly outcome = signal(NOTHING_YET);
  private binding?: CardFormBinding;

  ngAfterViewInit() {
    const show = (outcome: Outcome) => this.outcome.set(outcome);
    this.binding = bindCardForm(this.form().nativeElement, {
      key: () => requestKey(show),
      onEncrypted: async (block) => {
        const { result } = await sendCard(JSON.stringify(block), show);
        if (result === 'not_paid') await this.binding?.restart(); // opens the form for another card
      },
    });
  }

  ngOnDestroy() {
    this.binding?.unbind();
  }
}
