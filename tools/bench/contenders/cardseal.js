export { encryptCard as encrypt, prepareKey as prepare } from 'cardseal';
