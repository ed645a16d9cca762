/** Stands for your own database, and for what sends your mail. */
const references = new Set<string>();

/** Whether no mail with this reference was sent before. From now on, one was. */
export async function isNew(reference: string): Promise<boolean> {
  const { size } = references;
  return references.add(reference).size > size;
}

export async function sendMail(orderId: string): Promise<void> {
  console.log(`Mail: order ${orderId} is paid`);
}
