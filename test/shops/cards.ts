/** The cards that the shoppers of these tests type. Nobody owns them. */
export interface Card {
  number: string;
  name: string;
  /** Two digits. */
  month: string;
  /** Four digits. */
  year: string;
  /** Four digits each: a code of three would be found in other texts by chance. */
  code: string;
}

export const FIRST: Card = {
  number: '4929119283746509',
  name: 'Zoë Quillow',
  month: '11',
  year: '2049',
  code: '7294',
};

export const SECOND: Card = {
  number: '5425233430109903',
  name: 'Henrike Baywater',
  month: '08',
  year: '2047',
  code: '8163',
};

/** The first card with its last digit changed: the check digit is wrong. */
export const MISTYPED: Card = { ...FIRST, number: '4929119283746508' };

/** The card fields that must never be found in a request. A shared name is the shop's own field. */
export function secrets(card: Card, isNameShared: boolean): string[] {
  const words = isNameShared ? [] : card.name.split(' ');
  return [card.number, card.code, ...words];
}
