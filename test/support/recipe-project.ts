/**
 * The recipes of docs/server-routes.md, in a project of their own and each in a process of its own.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACCOUNTS } from '../../demo/service/app.ts';

const root = join(import.meta.dirname, '../..');

/** The recipes as files. */
export const RECIPES = join(root, 'examples/servers');

const folders: string[] = [];
const running: ChildProcess[] = [];

/** Ends all programs and removes all projects. */
export function cleanUp() {
  for (const child of running.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
}

/**
 * A project with all recipes.
 *
 * @param express - The installed package that is to be `express` in it.
 */
export function makeProject(express = 'express'): string {
  mkdirSync(join(root, 'reports'), { recursive: true });
  const folder = mkdtempSync(join(root, 'reports/server-'));
  folders.push(folder);
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
  cpSync(RECIPES, folder, { recursive: true });
  write('package.json', '{ "type": "module", "private": true }');
  write('preload.mjs', PRELOAD);
  write('serve.ts', SERVE);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(root, 'node_modules', express), join(folder, 'node_modules/express'));
  symlinkSync(root, join(folder, 'node_modules/cardseal'));
  return folder;
}

/**
 * Tells the test on which port the program listens. Every console.error shows all properties of an
 * error, hidden ones, too, as a thorough error logger would.
 */
const PRELOAD = `import { Server } from 'node:net';
import { inspect } from 'node:util';
const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  this.once('listening', () => process.send({ port: this.address().port }));
  return listen.apply(this, args);
};
Object.assign(inspect.defaultOptions, { depth: Infinity, showHidden: true, maxStringLength: Infinity, maxArrayLength: Infinity });
`;

/** Serves a function Request -> Response, as the platform of such a program does. */
const SERVE = `import { createServer } from 'node:http';
const program = await import(process.env.PROGRAM!);
const handle = program.handle ?? program.default.fetch;
createServer(async (incoming, outgoing) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const address = new URL(process.env.PREFIX + incoming.url!, 'http://localhost');
  const headers = incoming.headers as Record<string, string>;
  const body = incoming.method === 'POST' ? Buffer.concat(chunks) : null;
  const request = new Request(address, { method: incoming.method!, headers, body });
  let answer: Response;
  try {
    answer = await handle(request);
  } catch (error) {
    console.error(error);
    answer = new Response(null, { status: 500 });
  }
  outgoing.writeHead(answer.status, [...answer.headers].flat());
  outgoing.end(await answer.text());
}).listen(Number(process.env.PORT));
`;

/**
 * Starts a program of a project in a process of its own.
 *
 * @param environment - Beside what each program of the document gets.
 */
export async function startProgram(
  folder: string,
  file: string,
  serviceAddress: string,
  environment: Record<string, string> = {},
) {
  const isHandler = file.includes('hono') || file.includes('web');
  const env = {
    ...process.env,
    NODE_ENV: 'development',
    PORT: '0', // the system chooses one: a free port that was looked up may be taken meanwhile
    CARD_PAYMENTS_URL: serviceAddress,
    CARD_PAYMENTS_SECRET_KEY: ACCOUNTS[0].secretKey,
    PROGRAM: `./${file}`,
    PREFIX: '',
    ...environment,
  };
  const main = isHandler ? 'serve.ts' : file;
  const args = ['--import', './preload.mjs', '--import', 'tsx', `./${main}`];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env,
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  });
  running.push(child);
  const server = { address: '', output: '', stop, terminate };
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text) => {
      server.output += text;
    });
  }
  const port = await Promise.race([listening(child), once(child, 'exit').then(() => undefined)]);
  if (!port) throw new Error(`The program ended:\n${server.output}`);
  server.address = `http://127.0.0.1:${port}`;
  return server;

  /** Asks it to end, as a deploy does. Resolves to its status when it has ended. */
  async function terminate(): Promise<number | null> {
    child.kill('SIGTERM');
    const [status] = await once(child, 'close');
    return status;
  }

  /** Ends it in the middle of whatever it does. */
  async function stop() {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
}

export type Program = Awaited<ReturnType<typeof startProgram>>;

/** Resolves to the port on which a program listens. */
async function listening(child: ChildProcess): Promise<number> {
  const [{ port }] = await once(child, 'message');
  return port;
}
