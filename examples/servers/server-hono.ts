import { Hono } from 'hono';
import { handle } from './web.js';

const app = new Hono();
app.all('/checkout', (context) => handle(context.req.raw));
app.all('/checkout/*', (context) => handle(context.req.raw));

export default app; // for @hono/node-server: serve({ fetch: app.fetch, port: 3000 })
