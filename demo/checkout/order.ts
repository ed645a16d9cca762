/** What is paid for. `amount`: minor units. */
export interface Order {
  id: string;
  amount: number;
  currency: string;
  description: string;
}
