import forge from 'node-forge';

export const prepare = ({ public_key }) =>
  forge.pki.publicKeyFromPem(`-----BEGIN PUBLIC KEY-----\n${public_key}\n-----END PUBLIC KEY-----`);

export const encrypt = (key, { number, name, exp_month, exp_year, cvv }) => {
  const plaintext = forge.util.encodeUtf8(number + name + exp_month + exp_year + cvv);
  const sha256 = () => forge.md.sha256.create();
  return forge.util.encode64(
    key.encrypt(plaintext, 'RSA-OAEP', { md: sha256(), mgf1: { md: sha256() } }),
  );
};
