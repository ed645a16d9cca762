import { CompactEncrypt, importSPKI } from 'jose';

export const prepare = ({ public_key }) =>
  importSPKI(`-----BEGIN PUBLIC KEY-----\n${public_key}\n-----END PUBLIC KEY-----`, 'RSA-OAEP-256');

export const encrypt = (key, { number, name, exp_month, exp_year, cvv }) =>
  new CompactEncrypt(new TextEncoder().encode(number + name + exp_month + exp_year + cvv))
    .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM' })
    .encrypt(key);
