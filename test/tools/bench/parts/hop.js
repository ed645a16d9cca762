// The way into WebCrypto and back, with next to nothing to do there.
const byte = new Uint8Array(1);

export const prepare = () => undefined;
export const encrypt = () => crypto.subtle.digest('SHA-256', byte);
