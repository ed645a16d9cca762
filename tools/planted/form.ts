import { type Fault, WHY } from './fault.ts';

const PERFORM = 'src/form/perform.ts';
const READ = 'src/form/card/read.ts';
const DESTINATION = 'src/form/page/destination.ts';

/** The rules of a press are not here: test/form/explore/rules.ts takes each of them out. */
export const FORM: readonly Fault[] = [
  {
    name: 'a submit that a script has made up counts as sent',
    file: PERFORM,
    at: 'settle.find()',
    plant: {
      gives: "passing.find(({ kind, event }) => kind === 'submit' && !event!.defaultPrevented)",
    },
    breaks: 'after dispatchEvent(new Event("submit")), the form is locked for half a minute',
    why: 'No mutant drops this operand alone.',
    tests: ['chromium form/press.test'],
  },
  {
    name: 'a used key is asked for again',
    file: 'src/form/make-block.ts',
    at: 'encryptFields.drop()',
    plant: 'nothing',
    breaks: 'after a decline, the next card ends in an error',
    why: WHY.statement,
    tests: ['chromium form/press.test'],
  },
  {
    name: 'another security code is the same card',
    file: READ,
    at: 'isSameCard.every()#1',
    plant: { begins: "if (field === 'cvv') return true;" },
    breaks: 'a shopper who corrects the code is declined again',
    why: 'No mutant leaves one field out.',
    tests: ['chromium form/press.test'],
  },
  {
    name: 'a card expires a month early',
    file: READ,
    at: 'findExpiryProblem.end',
    plant: { gives: 'Date.UTC(toNumber(card.exp_year), toNumber(card.exp_month) - 1, 1, 12)' },
    breaks: 'shoppers whose card expires this month cannot pay',
    why: WHY.number,
    tests: ['chromium form/read'],
  },
  {
    name: 'Cancel in a dialog pays',
    file: 'src/form/page/card-payment.ts',
    at: 'isOtherButton.isSkipped()',
    plant: 'nothing',
    breaks: 'a coupon button asks for a card, or charges it',
    why: 'No mutant drops this operand alone.',
    tests: ['chromium form/other-ways-to-pay'],
  },
  {
    name: 'a when that forgets to answer lets the card pass',
    file: 'src/form/page/card-payment.ts',
    at: 'isCardPayment.askPage()',
    plant: { gives: 'Boolean(askPage(when))' },
    breaks: 'a function without return switches the library off: the form posts without a block',
    why: WHY.value,
    tests: ['chromium form/other-ways-to-pay'],
  },
  {
    name: 'a page error with card data is passed on',
    file: 'src/form/feedback/notices.ts',
    at: 'asCardEncryptionError',
    plant: { gives: 'reason as CardEncryptionError' },
    breaks: 'an error of the shop’s script, with the card in it, is logged as the library’s',
    why: 'No mutant changes `instanceof`.',
    tests: ['chromium form/leak'],
  },
  {
    name: 'the date does not begin another card',
    file: READ,
    at: 'holdsNoCard.concat()',
    plant: { gives: 'concat([number, cvv])' },
    breaks: 'a shopper who begins another card with its date still has the block of the last one',
    why: 'No mutant drops one element of several.',
    tests: ['chromium form/press.test'],
  },
  {
    name: 'any host that ends like localhost',
    file: DESTINATION,
    at: 'isLoopback.endsWith()',
    plant: { gives: "host.endsWith('localhost')" },
    breaks: 'the block goes to another machine without https',
    why: WHY.value,
    tests: ['chromium form/destination'],
  },
];
