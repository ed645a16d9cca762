// For GET /checkout: the form, or how the payment went.
export { handle as GET } from '../../../web.js';

export const dynamic = 'force-dynamic'; // the page sets a cookie
