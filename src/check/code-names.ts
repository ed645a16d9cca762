interface CodeName {
  /** In each word of a name, in its words from any one on, or in all of its letters. */
  where: 'word' | 'rest' | 'letters';
  pattern: RegExp;
  like: string[];
  unlike: string[];
}

/** How names of security codes look. Three digits alone mean nothing. */
export const CODE_NAMES: CodeName[] = [
  {
    where: 'word',
    pattern: /cvv|cvc|ccv|csc|cvn|(^|[^er])cvd|cvx|cv2/,
    like: ['cardcvv', 'cc-csc', 'cardCvx', 'creditcard_cccvd'],
    unlike: ['recvd', 'basic_score'],
  },
  {
    where: 'rest',
    pattern: /^(c?cv[vcn]|ccverification|cccheckcode|cccid)/,
    like: ['cvNumber', 'CVVcode', 'payment[cc_cid]', 'wpp_cc_checkcode', 'cc_verification'],
    unlike: ['recvNumber', 'acc_id'],
  },
  {
    where: 'letters',
    pattern: /securitycode|securitynumber|cardcode|cardverification|verificationvalue|cryptogram/,
    like: ['security_code', 'card-code', 'verificationValue'],
    unlike: ['security', 'verification_code'],
  },
  {
    where: 'letters',
    pattern: /cod(e|igo|ice)?(de|di)?s[ei][cg]ur|pruefnummer/,
    like: [
      'codigo_de_seguridad',
      'code_securite',
      'codice_di_sicurezza',
      'kreditkarte_pruefnummer',
    ],
    unlike: ['codigo_postal', 'code'],
  },
];

/** Whether a field's name says that it is a security code, or is that of the code's control. */
export function tellingNames(own: string[]): (name: string) => boolean {
  const ownLetters = own.map(lettersOf).filter(Boolean);
  return (name) => {
    const last = name.split(/[[.]/).pop()!; // `code` of `card[code]`
    const isOwn = [lettersOf(name), lettersOf(last)].some((it) => ownLetters.includes(it));
    return isOwn || CODE_NAMES.some((it) => fits(it, name));
  };
}

export function fits({ where, pattern }: CodeName, name: string): boolean {
  if (where === 'letters') return pattern.test(lettersOf(name));
  const words = wordsOf(name);
  return words.some((word, i) => pattern.test(where === 'word' ? word : words.slice(i).join('')));
}

const lettersOf = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** `basic`, `score` of `basic_score` and of `basicScore`. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/[A-Z](?=[a-z])/g, ' $&')
    .toLowerCase()
    .split(/[^a-z0-9]/);
