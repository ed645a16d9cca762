import type { CardField } from 'cardseal';

/** What is wrong with the card, in the shopper's words. No regular expression: it would keep the number within reach of the whole page. */
export function findProblems(card: Record<CardField, string>): Partial<Record<CardField, string>> {
  const problems: Partial<Record<CardField, string>> = {};
  if (!isDigits(card.number, 12, 19) || !passesLuhn(card.number)) problems.number = 'Check the card number';
  if (!card.name) problems.name = 'Enter the name on the card';
  if (!card.exp_month) problems.exp_month = 'Choose the month';
  if (!card.exp_year) problems.exp_year = 'Choose the year';
  if (card.exp_month && card.exp_year && isPast(card.exp_month, card.exp_year)) problems.exp_month = 'This card has expired';
  if (!isDigits(card.cvv, 3, 4)) problems.cvv = 'Enter the 3 or 4 digits';
  return problems;
}

function isDigits(text: string, min: number, max: number) {
  if (text.length < min || text.length > max) return false;
  for (const character of text) if (character < '0' || character > '9') return false;
  return true;
}

/** ISO/IEC 7812-1, annex B. */
function passesLuhn(digits: string) {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(i) - 0x30;
    const weighted = (digits.length - i) % 2 ? digit : digit * 2;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}

/** A card is good to the end of its month, until that has ended everywhere on Earth (UTC-12). */
function isPast(month: string, year: string) {
  const there = new Date(Date.now() - 12 * 60 * 60 * 1000);
  const thisYear = String(there.getUTCFullYear());
  return year < thisYear || (year === thisYear && month < String(there.getUTCMonth() + 1).padStart(2, '0'));
}
