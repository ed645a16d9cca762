import adyen from 'adyen-cse-js';

export const prepare = ({ adyen: publicKey }) => adyen.createEncryption(publicKey, {});

export const encrypt = (encryption, { number, name, exp_month, exp_year, cvv }) =>
  encryption.encrypt({
    number,
    holderName: name,
    expiryMonth: exp_month,
    expiryYear: exp_year,
    cvc: cvv,
    generationtime: new Date().toISOString(),
  });
