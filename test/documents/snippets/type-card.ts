// type-card.ts
import { typeCard } from 'cardseal/testing';

const form = document.querySelector<HTMLFormElement>('#checkout')!;
typeCard(form, { cvv: '835' });
form.querySelector('button')!.click();
