export { encryptCard as encrypt, prepareKey as prepare } from 'cardseal';
export { bindCardForm } from 'cardseal/form';
