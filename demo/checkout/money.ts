/** An amount as people say it. `amount`: minor units. */
export function money(price: { amount: number; currency: string }, language = 'en'): string {
  const { amount, currency } = price;
  const format = new Intl.NumberFormat(language, { style: 'currency', currency });
  return format.format(amount / 10 ** format.resolvedOptions().maximumFractionDigits!);
}
