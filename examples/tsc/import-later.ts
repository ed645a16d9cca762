export async function bind(form: HTMLFormElement): Promise<void> {
  const { bindCardForm } = await import('cardseal/form');
  const { ready } = bindCardForm(form, { key: async () => (await fetch('/card-key')).json() });
  await ready;
}
