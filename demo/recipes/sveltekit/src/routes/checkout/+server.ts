// For GET /checkout: the form, or how the payment went.
import { handle } from '../../../../web.js';

export const GET = ({ request }: { request: Request }) => handle(request);
