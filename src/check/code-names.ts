/** How names of security codes look, in one word of theirs. Three digits alone mean nothing. */
const IN_A_WORD = /cvv|cvc|ccv|csc|cvn|(^|[^er])cvd|cvx|cv2/; // `cardCvx`, but not `recvd`

/** How they look in several words, from any one on. */
const IN_WORDS = [
  /^(c?cv[vcn]|ccverification|cccheckcode|cccid)/, // `cvNumber`, `payment[cc_cid]`
  /securitycode|securitynumber|cardcode|cardverification|verificationvalue|cryptogram/,
  /cod(e|igo|ice)?(de|di)?s[ei][cg]ur|pruefnummer/, // `code_securite`, `codigo_de_seguridad`
];

/** Whether a field's name says that it is a security code, or is that of the code's control. */
export function tellingNames(own: string[]): (name: string) => boolean {
  const ownLetters = own.map(lettersOf).filter(Boolean);
  return (name) => {
    const last = name.split(/[[.]/).pop()!; // `code` of `card[code]`
    return [name, last].some((it) => ownLetters.includes(lettersOf(it))) || isUsual(name);
  };
}

function isUsual(name: string): boolean {
  const words = wordsOf(name);
  const rests = words.map((_, i) => words.slice(i).join(''));
  return (
    words.some((word) => IN_A_WORD.test(word)) ||
    IN_WORDS.some((pattern) => rests.some((rest) => pattern.test(rest)))
  );
}

const lettersOf = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** `basic`, `score` of `basic_score` and of `basicScore`. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/[A-Z](?=[a-z])/g, ' $&')
    .toLowerCase()
    .split(/[^a-z0-9]/);
