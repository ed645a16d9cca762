/**
 * The server behind the apps: it hands out keys, takes payments and serves the files of a built
 * app. It decrypts each payment with Node's crypto and with nothing of the library.
 */
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { describeBlock } from '../support/open-block.ts';

export interface Payment {
  /** The decrypted card, by the specification's identifiers, or what is wrong with the block. */
  card: string;
  keyId: string;
  /** All other fields of the body. */
  others: [name: string, value: string][];
  /** The body as it came, to be searched for the card in clear text. */
  body: string;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css',
};

export class Shop {
  readonly #publicKey: string;
  readonly #privateKey: KeyObject;
  readonly #keyIds = new Set<string>();
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((error: Error) => {
      this.problems.push(`${request.method} ${request.url}: ${error.stack}`);
      response.writeHead(500).end();
    });
  });
  #payments: Payment[] = [];
  #next: string[] = [];
  /** The folder of the built app. */
  root = '';
  /** Errors of the server itself. */
  readonly problems: string[] = [];

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    this.#publicKey = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    this.#privateKey = privateKey;
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /**
   * How the next payments go, before all others are committed. The statuses of docs/outcomes.md.
   */
  answerNext(...statuses: ('failed' | 'not_paid')[]): void {
    this.#next = statuses;
  }

  /** The payments since the last call. */
  takePayments(): Payment[] {
    return this.#payments.splice(0);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const path = new URL(request.url!, this.origin).pathname;
    if (request.method !== 'POST') return this.#file(path, response);
    if (path === '/card-key') return sendJson(response, this.#key());
    if (path !== '/pay') return void response.writeHead(404).end();
    const type = request.headers['content-type'] ?? '';
    this.#payments.push(await this.#read(type, Buffer.concat(chunks)));
    const status = this.#next.shift() ?? 'committed';
    sendJson(response, { status });
  }

  /** Single-page apps have one page for all addresses without an ending. */
  #file(path: string, response: ServerResponse): void {
    const wanted = join(this.root, path);
    const isFile = wanted.startsWith(this.root) && existsSync(wanted) && statSync(wanted).isFile();
    if (!isFile && extname(path)) return void response.writeHead(404).end();
    const file = isFile ? wanted : join(this.root, 'index.html');
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain' });
    response.end(readFileSync(file));
  }

  #key(): object {
    const id = `cek_${randomUUID()}`;
    this.#keyIds.add(id);
    return { id, scheme: 'RSA_OAEP_SHA256_V1', public_key: this.#publicKey };
  }

  async #read(type: string, body: Buffer): Promise<Payment> {
    const text = body.toString('utf8');
    if (type.startsWith('application/json')) {
      const { payload, key_id, layout, ...others } = JSON.parse(text);
      const entries = Object.entries(others).map(([name, value]) => [name, String(value)]);
      return this.#payment({ payload, key_id, layout }, entries as Payment['others'], text);
    }
    const headers = { 'content-type': type };
    const form = await new Response(new Uint8Array(body), { headers }).formData();
    const entries = Array.from(form, ([name, value]): [string, string] => [name, String(value)]);
    const block = entries.find(([name]) => name === 'encrypted_card')?.[1] ?? '{}';
    const others = entries.filter(([name]) => name !== 'encrypted_card');
    return this.#payment(JSON.parse(block), others, text);
  }

  #payment(block: Block, others: Payment['others'], body: string): Payment {
    const keyId = String(block.key_id);
    const isOurs = this.#keyIds.has(keyId);
    const card = isOurs ? this.#decrypt(block) : `the key ${keyId}, which nobody handed out`;
    return { card, keyId, others, body };
  }

  #decrypt(block: Block): string {
    try {
      return describeBlock(JSON.stringify(block), this.#privateKey);
    } catch (error) {
      return `no readable block: ${(error as Error).message}`;
    }
  }
}

interface Block {
  payload?: string;
  key_id?: string;
  layout?: { field: string; len: number }[];
}

function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
