import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckoutMessages } from 'cardseal/pay';

/** Everything that the shop says in its checkout, in one language. */
export interface Texts {
  /** A BCP 47 language tag. */
  language: string;
  checkout: string;
  order: string;
  book: string;
  total: string;
  needsScript: string;
  method: string;
  byCard: string;
  byInvoice: string;
  number: string;
  name: string;
  expiry: string;
  expiryHint: string;
  code: string;
  pay: string;
  lost: string;
  paid: string;
  thanks: string;
  amount: string;
  status: string;
  /** By the status of the intent. */
  statuses: { committed: string; authorized: string };
  card: string;
  /** `{brand}` and `{last4}` stand for what the service told of the card. */
  cardEnding: string;
  reference: string;
  invoiced: string;
  notConfirmed: string;
  newOrder: string;
  /** The texts of cardseal. Absent: its own, which are English. */
  messages?: CheckoutMessages;
}

export const ENGLISH: Texts = {
  language: 'en',
  checkout: 'Checkout',
  order: 'Your order',
  book: 'One book',
  total: 'Total',
  needsScript:
    'Paying by card needs JavaScript: it encrypts your card on this page. ' +
    'Without it nothing of your card is sent.',
  method: 'How do you want to pay?',
  byCard: 'By card',
  byInvoice: 'On invoice',
  number: 'Card number',
  name: 'Name on card',
  expiry: 'Expiry date',
  expiryHint: 'MM / YY',
  code: 'Security code',
  pay: 'Pay {amount}',
  lost: 'We do not know your order any more. Please send it again.',
  paid: 'Paid',
  thanks: 'Thank you',
  amount: 'Amount',
  status: 'Status',
  statuses: { committed: 'Paid', authorized: 'Reserved on your card' },
  card: 'Card',
  cardEnding: '{brand} ending in {last4}',
  reference: 'Reference',
  invoiced: 'We send you an invoice. Please pay it within 14 days.',
  notConfirmed: 'Payment not confirmed',
  newOrder: 'Place another order',
};

const GERMAN: Texts = {
  language: 'de',
  checkout: 'Kasse',
  order: 'Ihre Bestellung',
  book: 'Ein Buch',
  total: 'Gesamt',
  needsScript:
    'Für die Zahlung mit Karte wird JavaScript gebraucht: ' +
    'Es verschlüsselt Ihre Karte auf dieser Seite. ' +
    'Ohne JavaScript wird nichts von Ihrer Karte gesendet.',
  method: 'Wie möchten Sie bezahlen?',
  byCard: 'Mit Karte',
  byInvoice: 'Auf Rechnung',
  number: 'Kartennummer',
  name: 'Name auf der Karte',
  expiry: 'Gültig bis',
  expiryHint: 'MM / JJ',
  code: 'Prüfziffer',
  pay: '{amount} bezahlen',
  lost: 'Wir kennen Ihre Bestellung nicht mehr. Bitte senden Sie sie noch einmal.',
  paid: 'Bezahlt',
  thanks: 'Vielen Dank',
  amount: 'Betrag',
  status: 'Status',
  statuses: { committed: 'Bezahlt', authorized: 'Auf Ihrer Karte reserviert' },
  card: 'Karte',
  cardEnding: '{brand}, endet auf {last4}',
  reference: 'Referenz',
  invoiced: 'Wir senden Ihnen eine Rechnung. Bitte bezahlen Sie sie innerhalb von 14 Tagen.',
  notConfirmed: 'Zahlung nicht bestätigt',
  newOrder: 'Noch etwas bestellen',
  messages: messagesIn('de'),
};

/** The file of the package: `cardseal/messages/pay/de.json`. */
function messagesIn(language: string): CheckoutMessages {
  const file = join(import.meta.dirname, `../../dist/messages/pay/${language}.json`);
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The language that the browser likes best among those that the shop speaks; English otherwise. */
export function languageOf(acceptLanguage: string | undefined): Texts {
  const wanted = (acceptLanguage ?? '')
    .split(',')
    .map((range) => {
      const [tag, quality] = range.split(/\s*;\s*q=/i);
      return { language: tag!.trim().toLowerCase().split('-')[0], quality: Number(quality ?? 1) };
    })
    .sort((one, other) => other.quality - one.quality);
  const found = wanted.find(({ language }) => language === 'de' || language === 'en');
  return found?.language === 'de' && found.quality > 0 ? GERMAN : ENGLISH;
}

/** Puts values into the places of a text that are marked by their names in braces. */
export function fill(text: string, values: Record<string, string | undefined>): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
}
