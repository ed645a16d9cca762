import { useState } from 'react';
import { createPortal } from 'react-dom';

/**
 * The card stands elsewhere in the page than its form, as in a drawer. The list of months is
 * controlled, and the fieldset is disabled until the shopper chooses to pay by card.
 */
export function PortalCard({ place }: { place: HTMLElement }) {
  const [isByCard, setByCard] = useState(false);
  const [month, setMonth] = useState('');
  const card = (
    <fieldset disabled={!isByCard}>
      <input form="portal" aria-label="Card number" autoComplete="cc-number" />
      <input form="portal" aria-label="Name on card" autoComplete="cc-name" />
      <select
        form="portal"
        aria-label="Month"
        autoComplete="cc-exp-month"
        value={month}
        onChange={({ target }) => setMonth(target.value)}
      >
        <option value="">Month</option>
        <option>10</option>
        <option>11</option>
      </select>
      <input form="portal" aria-label="Year" autoComplete="cc-exp-year" />
      <input form="portal" aria-label="Security code" autoComplete="cc-csc" />
      <output>Month: {month}</output>
    </fieldset>
  );
  return (
    <form id="portal" method="post">
      <button type="button" onClick={() => setByCard(true)}>
        By card
      </button>
      <button type="submit">Pay</button>
      {createPortal(card, place)}
    </form>
  );
}
