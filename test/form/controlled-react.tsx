import { type ChangeEvent, useState } from 'react';

/**
 * A form whose controls are all controlled, by one object of state that each change replaces. `seen`
 * gets the state of each render. `hasEmptyMonth`: whether the shopper can choose no month. `act` is
 * called by the second button, in React's handler.
 */
export function ControlledCard({
  seen,
  hasEmptyMonth = true,
  act = () => {},
}: {
  seen(state: object): void;
  hasEmptyMonth?: boolean;
  act?(): void;
}) {
  const [card, setCard] = useState({ number: '', name: '', exp_month: '', exp_year: '', cvv: '' });
  const [renders, setRenders] = useState(0);
  seen(card);
  const bind = (field: keyof typeof card) => ({
    value: card[field],
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
      setCard({ ...card, [field]: target.value }),
  });
  return (
    <form method="post">
      <input autoComplete="cc-number" {...bind('number')} />
      <input autoComplete="cc-name" {...bind('name')} />
      <select autoComplete="cc-exp-month" {...bind('exp_month')}>
        {hasEmptyMonth ? <option value="">Month</option> : <option>10</option>}
        <option>11</option>
      </select>
      <input autoComplete="cc-exp-year" {...bind('exp_year')} />
      <input autoComplete="cc-csc" {...bind('cvv')} />
      <button type="submit">Pay</button>
      <button
        type="button"
        onClick={() => {
          act();
          setRenders(renders + 1);
        }}
      >
        Rendered {renders} times more
      </button>
    </form>
  );
}
