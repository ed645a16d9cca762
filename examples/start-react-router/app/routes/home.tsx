// app/routes/home.tsx
import { bindCheckout, type ShownOutcome } from 'cardseal/pay';
import { useCallback, useState } from 'react';

export default function Home() {
  const [shown, setShown] = useState<ShownOutcome>();
  const bind = useCallback((form: HTMLFormElement) => {
    return bindCheckout(form, { url: '/api/checkout', onOutcome: setShown }).unbind;
  }, []);
  return (
    <main>
      <p role="status">{shown?.text}</p>
      {!shown?.isClosed && (
        <form ref={bind}>
          <label>Card number <input autoComplete="cc-number" inputMode="numeric"
            data-rr-is-password="true" data-dd-privacy="mask" data-openreplay-obscured /></label>
          <label>Name on card <input autoComplete="cc-name"
            data-rr-is-password="true" data-dd-privacy="mask" data-openreplay-obscured /></label>
          <label>Expiry date <input autoComplete="cc-exp" placeholder="MM/YY"
            data-rr-is-password="true" data-dd-privacy="mask" data-openreplay-obscured /></label>
          <label>Security code <input autoComplete="cc-csc" inputMode="numeric"
            data-rr-is-password="true" data-dd-privacy="mask" data-openreplay-obscured /></label>
          <button disabled {...{ autoComplete: 'off' }} data-cardseal-enable>Pay $10.00</button>
        </form>
      )}
    </main>
  );
}
