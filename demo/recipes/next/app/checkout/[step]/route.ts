// For POST /checkout/key, /checkout/pay and /checkout/new. The page is app/checkout/route.ts.
export { handle as POST } from '../../../../web.js';
