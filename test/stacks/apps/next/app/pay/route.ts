import { authorize } from '../authorize';

export async function POST(request: Request) {
  const status = await authorize(await request.formData());
  const page = `<!doctype html><title>Answer</title><p role="status">${status}</p>`;
  return new Response(page, { headers: { 'content-type': 'text/html' } });
}
