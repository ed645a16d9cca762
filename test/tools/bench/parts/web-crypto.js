// WebCrypto's encryption of a plaintext that is ready, and nothing else.
import { prepare as importKey } from '../contenders/snippet.js';

const plaintext = new Uint8Array(38).fill(0x35);

export const prepare = importKey;
export const encrypt = (key) => crypto.subtle.encrypt({ name: 'RSA-OAEP' }, key, plaintext);
