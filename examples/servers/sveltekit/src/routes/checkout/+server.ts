// For GET /checkout: the form, or how the payment went.
import { handle } from '$lib/server/web';

export const GET = ({ request }: { request: Request }) => handle(request);
