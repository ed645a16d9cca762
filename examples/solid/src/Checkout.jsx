import { bindCardForm } from 'cardseal/form';
import { createSignal, onCleanup, onMount, Show } from 'solid-js';
import { NOTHING_YET, requestKey, sendCard } from './payment.ts';

export function Checkout() {
  const [outcome, show] = createSignal(NOTHING_YET);
  return (
    <>
      <p role="status">{outcome().text}</p>
      <Show when={outcome().asksForCard}>
        <CardForm show={show} />
      </Show>
    </>
  );
}

function CardForm(props) {
  let form;
  const [number, setNumber] = createSignal('');

  onMount(() => {
    const binding = bindCardForm(form, {
      key: () => requestKey(props.show),
      async onEncrypted(block) {
        const { result } = await sendCard(JSON.stringify(block), props.show);
        if (result === 'not_paid') binding.restart(); // for another card
      },
    });
    onCleanup(() => binding.unbind());
  });

  return (
    <form ref={form}>
      <input aria-label="E-mail" name="email" type="email" required />
      <input
        aria-label="Card number"
        autocomplete="cc-number"
        value={number()}
        onInput={(event) => setNumber(event.currentTarget.value)}
      />
      <input aria-label="Name on card" autocomplete="cc-name" />
      <input aria-label="Expiry date" autocomplete="cc-exp" />
      <input aria-label="Security code" autocomplete="cc-csc" />
      <button type="submit">Pay</button>
    </form>
  );
}
