import { createMessage, encrypt as encryptMessage, readKey } from 'openpgp';

export const prepare = ({ openpgp }) => readKey({ armoredKey: openpgp });

export const encrypt = async (key, { number, name, exp_month, exp_year, cvv }) =>
  encryptMessage({
    message: await createMessage({ text: number + name + exp_month + exp_year + cvv }),
    encryptionKeys: key,
  });
