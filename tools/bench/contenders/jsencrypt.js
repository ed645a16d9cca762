import { JSEncrypt } from 'jsencrypt';

export const prepare = ({ public_key }) => {
  const encryptor = new JSEncrypt();
  encryptor.setPublicKey(public_key);
  return encryptor;
};

export const encrypt = (encryptor, { number, name, exp_month, exp_year, cvv }) => {
  const plaintext = new TextEncoder().encode(number + name + exp_month + exp_year + cvv);
  return encryptor.encryptOAEP(String.fromCharCode(...plaintext)); // it takes one byte of each character
};
