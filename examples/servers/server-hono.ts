import { Hono } from 'hono';
import { handle } from './web.js';

const app = new Hono();
app.all('/checkout', (context) => handle(context.req.raw));
app.all('/checkout/*', (context) => handle(context.req.raw));

// With @hono/node-server and end.ts: endOnSigterm(serve({ fetch: app.fetch, port: 3000 }))
export default app;
