/** Why the shopper sees the form again. `reason`: the service's `failure_reason`. */
export type Notice =
  | { why: 'not_paid' | 'retry_is_safe' | 'lost' }
  | { why: 'declined'; reason: string | null };

/** Everything that a shopper reads in the checkout, in one language. */
export interface Texts {
  /** A BCP 47 language tag. */
  language: string;
  checkout: string;
  book: string;
  needsScript: string;
  method: string;
  byCard: string;
  byInvoice: string;
  number: string;
  name: string;
  month: string;
  year: string;
  code: string;
  pay: string;
  not_paid: string;
  retry_is_safe: string;
  lost: string;
  declined: string;
  /**
   * Why, by the service's `failure_reason`, where the shopper can do something about it. The issuer
   * does not want others to be told, such as that a card is stolen.
   */
  reasons: Record<string, string>;
  tryAnother: string;
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
  doNotPayAgain: string;
  notConfirmed: string;
  unknown: string;
  findingOut: string;
  uncertain: string;
  askUs: string;
  notPaid: string;
  newOrder: string;
  /** For `data-cardseal-messages`; the library's own texts are English. */
  messages?: Record<string, string>;
}

export const ENGLISH: Texts = {
  language: 'en',
  checkout: 'Checkout',
  book: 'One book',
  needsScript:
    'Paying by card needs JavaScript: it encrypts your card on this page. ' +
    'Without it nothing of your card is sent.',
  method: 'How do you want to pay?',
  byCard: 'By card',
  byInvoice: 'On invoice',
  number: 'Card number',
  name: 'Name on card',
  month: 'Expiry month',
  year: 'Expiry year',
  code: 'Security code',
  pay: 'Pay {amount}',
  not_paid: 'The payment could not be made. You have not paid. Please enter your card again.',
  retry_is_safe:
    'We do not know yet whether you have paid. ' +
    'You can safely enter your card again: you cannot pay twice.',
  lost: 'We do not know your order any more. Please send it again.',
  declined: 'Your card was declined.',
  reasons: {
    expired_card: 'The card has expired.',
    incorrect_cvc: 'The security code is not correct.',
    incorrect_number: 'The card number is not correct.',
    insufficient_funds: 'There is not enough money in the account.',
    invalid_expiry_month: 'The expiry date is not correct.',
    processing_error: 'The bank could not process it.',
  },
  tryAnother: 'You have not paid. Please try another card.',
  paid: 'Paid',
  thanks: 'Thank you',
  amount: 'Amount',
  status: 'Status',
  statuses: { committed: 'Paid', authorized: 'Reserved on your card' },
  card: 'Card',
  cardEnding: '{brand} ending in {last4}',
  reference: 'Reference',
  invoiced: 'We send you an invoice. Please pay it within 14 days.',
  doNotPayAgain: 'Please do not pay again.',
  notConfirmed: 'Payment not confirmed',
  unknown: 'We do not know yet whether you have paid',
  findingOut: 'We are finding out and will tell you. Your reference:',
  uncertain: 'It is not certain whether you have paid',
  askUs:
    'Your payment reached us, but we lost track of your order. ' +
    'Contact us: we look up whether your card was charged.',
  notPaid: 'You have not paid',
  newOrder: 'Place another order',
};

const GERMAN: Texts = {
  language: 'de',
  checkout: 'Kasse',
  book: 'Ein Buch',
  needsScript:
    'Für die Zahlung mit Karte wird JavaScript gebraucht: ' +
    'Es verschlüsselt Ihre Karte auf dieser Seite. ' +
    'Ohne JavaScript wird nichts von Ihrer Karte gesendet.',
  method: 'Wie möchten Sie bezahlen?',
  byCard: 'Mit Karte',
  byInvoice: 'Auf Rechnung',
  number: 'Kartennummer',
  name: 'Name auf der Karte',
  month: 'Gültig bis: Monat',
  year: 'Gültig bis: Jahr',
  code: 'Prüfziffer',
  pay: '{amount} bezahlen',
  not_paid:
    'Die Zahlung war nicht möglich. Sie haben nicht bezahlt. ' +
    'Bitte geben Sie Ihre Karte noch einmal ein.',
  retry_is_safe:
    'Wir wissen noch nicht, ob Sie bezahlt haben. ' +
    'Sie können Ihre Karte ohne Sorge noch einmal eingeben: Sie zahlen nicht doppelt.',
  lost: 'Wir kennen Ihre Bestellung nicht mehr. Bitte senden Sie sie noch einmal.',
  declined: 'Ihre Karte wurde abgelehnt.',
  reasons: {
    expired_card: 'Die Karte ist abgelaufen.',
    incorrect_cvc: 'Die Prüfziffer stimmt nicht.',
    incorrect_number: 'Die Kartennummer stimmt nicht.',
    insufficient_funds: 'Das Konto ist nicht gedeckt.',
    invalid_expiry_month: 'Das Ablaufdatum stimmt nicht.',
    processing_error: 'Die Bank konnte sie nicht verarbeiten.',
  },
  tryAnother: 'Sie haben nicht bezahlt. Bitte versuchen Sie es mit einer anderen Karte.',
  paid: 'Bezahlt',
  thanks: 'Vielen Dank',
  amount: 'Betrag',
  status: 'Status',
  statuses: { committed: 'Bezahlt', authorized: 'Auf Ihrer Karte reserviert' },
  card: 'Karte',
  cardEnding: '{brand}, endet auf {last4}',
  reference: 'Referenz',
  invoiced: 'Wir senden Ihnen eine Rechnung. Bitte bezahlen Sie sie innerhalb von 14 Tagen.',
  doNotPayAgain: 'Bitte bezahlen Sie nicht noch einmal.',
  notConfirmed: 'Zahlung nicht bestätigt',
  unknown: 'Wir wissen noch nicht, ob Sie bezahlt haben',
  findingOut: 'Wir klären das und geben Ihnen Bescheid. Ihre Referenz:',
  uncertain: 'Es ist nicht sicher, ob Sie bezahlt haben',
  askUs:
    'Ihre Zahlung ist angekommen, aber wir finden Ihre Bestellung nicht mehr. ' +
    'Bitte melden Sie sich: Wir sehen nach, ob Ihre Karte belastet wurde.',
  notPaid: 'Sie haben nicht bezahlt',
  newOrder: 'Noch etwas bestellen',
  messages: {
    number_required: 'Geben Sie die Kartennummer ein',
    number_invalid: 'Prüfen Sie die Kartennummer',
    name_required: 'Geben Sie den Namen ein, der auf der Karte steht',
    name_invalid: 'Prüfen Sie den Namen',
    name_too_long: 'Kürzen Sie den Namen',
    expiry_required: 'Geben Sie an, bis wann die Karte gültig ist',
    expiry_invalid: 'Prüfen Sie, bis wann die Karte gültig ist',
    expiry_past: 'Die Karte ist abgelaufen',
    cvv_required: 'Geben Sie die Prüfziffer ein',
    cvv_invalid: 'Prüfen Sie die Prüfziffer',
    payment_unavailable: 'Die Zahlung mit Karte ist hier nicht möglich.',
    reload_page: 'Laden Sie die Seite neu, um zu bezahlen.',
    press_again: 'Drücken Sie noch einmal auf Bezahlen.',
    payment_under_way: 'Ihre Zahlung ist unterwegs. Bitte warten Sie.',
    one_moment: 'Einen Moment bitte …',
    no_answer: 'Es ist noch keine Antwort da. Drücken Sie noch einmal auf den Knopf.',
  },
};

/** The language that the browser likes best among those that the shop speaks; English otherwise. */
export function languageOf(acceptLanguage: string | undefined): Texts {
  const wanted = (acceptLanguage ?? '')
    .split(',')
    .map((range) => {
      const [tag, quality] = range.split(';q=');
      return { language: tag!.trim().toLowerCase().split('-')[0], quality: Number(quality ?? 1) };
    })
    .sort((one, other) => other.quality - one.quality);
  const found = wanted.find(({ language }) => language === 'de' || language === 'en');
  return found?.language === 'de' && found.quality > 0 ? GERMAN : ENGLISH;
}

export function noticeText(texts: Texts, notice: Notice): string {
  if (notice.why !== 'declined') return texts[notice.why];
  const { declined, reasons, tryAnother } = texts;
  const reason = Object.entries(reasons).find(([code]) => code === notice.reason)?.[1];
  return [declined, reason, tryAnother].filter(Boolean).join(' ');
}

/** Puts values into the places of a text that are marked by their names in braces. */
export function fill(text: string, values: Record<string, string | undefined>): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
}
