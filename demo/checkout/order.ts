/** What is paid for. `amount`: minor units. */
export interface Order {
  amount: number;
  currency: string;
  description: string;
}
