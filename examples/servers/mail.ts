/** Stands for your own database. */
const recorded = new Set<string>();

export async function wasSent(reference: string): Promise<boolean> {
  return recorded.has(reference);
}

export async function recordSent(reference: string): Promise<void> {
  recorded.add(reference);
}

/** Stands for your mail service, which sends one mail for each idempotency key. */
const keys = new Set<string>();

export async function sendMail(
  orderId: string,
  { idempotencyKey }: { idempotencyKey: string },
): Promise<void> {
  if (keys.has(idempotencyKey)) return;
  keys.add(idempotencyKey);
  console.log(`Mail: order ${orderId} is paid`);
}
