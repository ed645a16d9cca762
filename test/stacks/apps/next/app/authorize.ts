/**
 * Sends the block to the service. A shop keeps key and intent in the session, and compares them by
 * parseEncryptedCard: docs/server.md.
 */
export async function authorize(data: FormData): Promise<string> {
  const answer = await fetch(`${process.env.SERVICE}/pay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: String(data.get('encrypted_card')),
  });
  return (await answer.json()).status;
}
