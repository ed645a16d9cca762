// For POST /checkout/key, /checkout/pay and /checkout/new.
import { handle } from '../../../../../web.js';

export const POST = ({ request }: { request: Request }) => handle(request);
