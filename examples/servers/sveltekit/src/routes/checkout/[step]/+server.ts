// For POST /checkout/key, /checkout/pay and /checkout/new.
import { handle } from '$lib/server/web';

export const POST = ({ request }: { request: Request }) => handle(request);
