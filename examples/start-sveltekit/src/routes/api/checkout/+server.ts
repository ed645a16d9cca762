// src/routes/api/checkout/+server.ts
import { checkout, orderOf } from '$lib/server/shop';
import type { RequestHandler } from './$types';

const answer: RequestHandler = ({ request, cookies }) => checkout.handle(request, orderOf(cookies));
export { answer as GET, answer as POST };
