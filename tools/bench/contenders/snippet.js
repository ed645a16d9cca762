// The usual copy-and-paste code: no check of key or card, no layout, nothing wiped.
export const prepare = ({ public_key }) => {
  const der = Uint8Array.from(atob(public_key), (character) => character.charCodeAt(0));
  return crypto.subtle.importKey('spki', der, { name: 'RSA-OAEP', hash: 'SHA-256' }, false, [
    'encrypt',
  ]);
};

export const encrypt = async (key, { number, name, exp_month, exp_year, cvv }) => {
  const plaintext = new TextEncoder().encode(number + name + exp_month + exp_year + cvv);
  const ciphertext = await crypto.subtle.encrypt({ name: 'RSA-OAEP' }, key, plaintext);
  return btoa(String.fromCharCode(...new Uint8Array(ciphertext)));
};
