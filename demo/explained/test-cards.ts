/** A test card of the service's: see "Test cards" in demo/README.md. */
export interface TestCard {
  number: string;
  name: string;
  cvv: string;
  brand: string;
  /** What the service makes of it. */
  outcome: string;
}

/** The cards to pay with at a click. The names are there for their bytes. */
export const TEST_CARDS: readonly TestCard[] = [
  {
    number: '4242424242424242',
    name: 'Ada Lovelace',
    cvv: '123',
    brand: 'Visa',
    outcome: 'approved',
  },
  {
    number: '5555555555554444',
    name: 'Zoë Ångström',
    cvv: '456',
    brand: 'Mastercard',
    outcome: 'approved',
  },
  { number: '378282246310005', name: '山田 花子', cvv: '7890', brand: 'Amex', outcome: 'approved' },
  {
    number: '6011111111111117',
    name: 'Zoë 🎉',
    cvv: '321',
    brand: 'Discover',
    outcome: 'approved',
  },
  {
    number: '4000000000000002',
    name: 'Grace Hopper',
    cvv: '123',
    brand: 'Visa',
    outcome: 'card_declined',
  },
  {
    number: '4000000000009995',
    name: 'Alan Turing',
    cvv: '123',
    brand: 'Visa',
    outcome: 'insufficient_funds',
  },
];

/**
 * The other published test numbers of the demo's service. Only beside a number of the demo's own is
 * a card shown in clear text.
 */
const OTHER_TEST_NUMBERS = [
  '2223003122003222',
  '3056930009020004',
  '3566002020360505',
  '6200000000000005',
  '6759649826438453',
  '4000000000009987',
  '4000000000009979',
  '4000000000000069',
  '4000000000000127',
  '4000000000000119',
];

export function isTestNumber(number: string): boolean {
  return OTHER_TEST_NUMBERS.includes(number) || TEST_CARDS.some((card) => card.number === number);
}
