import { browserKey } from 'cardseal/server';

/** Asks the service for a key, and forwards only what the browser may see. */
export async function POST() {
  const answer = await fetch(`${process.env.SERVICE}/card-key`, {
    method: 'POST',
    cache: 'no-store',
  });
  return Response.json(browserKey(await answer.json()));
}
