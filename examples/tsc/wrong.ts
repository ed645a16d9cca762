import { bindCardForm } from 'cardseal/form';

bindCardForm('#checkout');
