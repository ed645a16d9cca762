import IMask from 'imask';

export const masks = [
  IMask(document.querySelector('#number'), { mask: '0000 0000 0000 0000 [000]' }),
  IMask(document.querySelector('#expiry'), { mask: '00/00' }),
  IMask(document.querySelector('#code'), { mask: '000[0]' }),
];
