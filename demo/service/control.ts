import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import { refuseBody, refuseUnreadBody } from './bodies.ts';
import { ServiceError } from './errors.ts';
import { FAULTS, type FaultName, type Faults, isFaultOf, OPERATIONS } from './faults.ts';
import type { Journal } from './journal.ts';
import * as schemas from './schemas.ts';

export interface Controls {
  faults: Faults;
  journal: Journal;
  /** How long a slow fault waits unless the request says it, in milliseconds. */
  slowMs: number;
  state(): schemas.SandboxState;
  aheadMs(): number;
  /** How far the clock is ahead of the real one from now on, in milliseconds. */
  setAhead(ms: number): void;
  reset(): Promise<void>;
  /** Refuses requests of other sites. */
  guard(request: Parameters<typeof refuseUnreadBody>[0]): Promise<void>;
}

const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

const PAGE_FILES = [
  ['/', 'page.html', 'text/html; charset=utf-8'],
  ['/sandbox/page.css', 'page.css', 'text/css; charset=utf-8'],
  ['/sandbox/page.js', 'page.js', 'text/javascript; charset=utf-8'],
] as const;

/** The page of the sandbox, and what its switches call. They need no secret key. */
export function addControls(
  app: Parameters<FastifyPluginAsyncTypebox>[0],
  { faults, journal, slowMs, state, aheadMs, setAhead, reset, guard }: Controls,
) {
  const config = { isPublic: true };
  const security: [] = [];
  const tags = ['Sandbox'];
  const response = { 200: Type.Ref('SandboxState') };

  app.addHook('onRequest', guard);

  for (const [path, file, type] of PAGE_FILES) {
    const text = withFaults(readFileSync(join(import.meta.dirname, 'page', file), 'utf8'));
    const options = { config, onRequest: refuseUnreadBody, schema: { hide: true } };
    app.get(path, options, async (_request, reply) =>
      reply.headers(PAGE_HEADERS).type(type).send(text),
    );
  }

  app.get(
    '/sandbox',
    {
      config,
      onRequest: refuseUnreadBody,
      schema: {
        operationId: 'readSandbox',
        summary: 'What has happened, and what is switched on',
        description: 'The newest payments of all accounts, and the newest requests with reasons.',
        tags,
        security,
        response,
      },
    },
    async () => state(),
  );

  app.get(
    '/sandbox/events',
    { config, exposeHeadRoute: false, schema: { hide: true } },
    (_request, reply) => stream(reply),
  );

  app.post(
    '/sandbox/faults',
    {
      config,
      schema: {
        operationId: 'setFault',
        summary: 'Let requests of one kind go wrong from now on',
        description: 'One request goes wrong by itself with the header Sandbox-Fault.',
        tags,
        security,
        body: schemas.FaultBody,
        response,
      },
    },
    async ({ body: { operation, fault, times = null, slow_ms = slowMs } }) => {
      if (fault && !isFaultOf(operation, fault)) {
        throw new ServiceError('invalid_request', `The fault is not for ${operation}.`);
      }
      faults.arm(operation, fault && { fault, times, slow_ms });
      journal.tell({ type: 'everything' });
      return state();
    },
  );

  app.post(
    '/sandbox/clock',
    {
      config,
      schema: {
        operationId: 'setClock',
        summary: 'Move the clock of the sandbox',
        description: 'One of both: advance_ms moves it on; ahead_ms sets it, and 0 puts it right.',
        tags,
        security,
        body: schemas.ClockBody,
        response,
      },
    },
    async ({ body: { advance_ms = 0, ahead_ms } }) => {
      setAhead(ahead_ms ?? aheadMs() + advance_ms);
      journal.tell({ type: 'everything' });
      return state();
    },
  );

  app.post(
    '/sandbox/reset',
    {
      config,
      preValidation: refuseBody,
      schema: {
        operationId: 'resetSandbox',
        summary: 'Forget all payments and keys, switch off all faults, put the clock right',
        tags,
        security,
        response,
      },
    },
    async () => {
      await reset();
      journal.tell({ type: 'everything' });
      return state();
    },
  );

  /** Server-sent events: everything at first, and then what is new. */
  function stream(reply: FastifyReply) {
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    const send = (type: string, data: object) =>
      void raw.write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
    send('everything', state());
    const end = journal.listen((news) => {
      if (news.type === 'payment') send('payment', news.payment);
      else if (news.type === 'request') send('request', news.request);
      else send('everything', state());
    });
    raw.on('close', end);
  }
}

/** Puts the faults of each kind of request where the page has its list of them. */
function withFaults(html: string): string {
  return OPERATIONS.reduce((text, operation) => {
    const names = (Object.keys(FAULTS) as FaultName[]).filter((name) => isFaultOf(operation, name));
    const options = names.map((name) => `<option value="${name}">${name}: ${FAULTS[name].what}`);
    return text.replace(`<!-- faults of ${operation} -->`, options.join('</option>'));
  }, html);
}
