/** The page of a shop with one recorder, the answers that recorders wait for, and their uploads. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Upload {
  url: string;
  body: Buffer;
}

/** What the server of a recorder answers, so that it goes on. Others get `{}`. */
const ANSWERS: [path: RegExp, answer: unknown][] = [
  [/posthog\/(array|flags|decide)/, { sessionRecording: { endpoint: '/s/' }, featureFlags: {} }],
  [
    /amplitude-config/,
    {
      configs: {
        sessionReplay: { sr_sampling_config: { capture_enabled: true, sample_rate: 1 } },
      },
    },
  ],
  [
    /newrelic\/1\//,
    { app: { agents: [], nrServerTime: Date.now() }, sts: 1, srs: 1, sr: 1, st: 1, err: 1, ins: 1 },
  ],
  [/openreplay\/v1\/web\/start/, OPENREPLAY()],
  [/highlight$/, { data: { initializeSession: { secure_id: 'session', project_id: '1' } } }],
  [/mixpanel\/settings/, { recording: { is_enabled: true } }],
];

function OPENREPLAY() {
  const { token, userUUID, sessionID } = { token: 'token', userUUID: 'user', sessionID: '1' };
  return {
    ...{ token, userUUID, sessionID, projectID: '1', delay: 0, startTimestamp: Date.now() },
    ...{ beaconSizeLimit: 1_000_000, compressionThreshold: 24_000, canvasEnabled: false },
    ...{
      userBrowser: '',
      userDevice: '',
      userOS: '',
      userCity: '',
      userCountry: '',
      userState: '',
    },
    ...{ features: {}, assistOnly: false, recordRageClick: true },
  };
}

/** Recorders upload to another origin. */
function allowAll({ headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Origin', headers.origin ?? '*');
  response.setHeader('Access-Control-Allow-Credentials', 'true');
  const asked = headers['access-control-request-headers'];
  if (asked) response.setHeader('Access-Control-Allow-Headers', asked);
  response.setHeader('Access-Control-Allow-Methods', 'GET, POST, PUT');
}

export async function startServer(
  files: (path: string) => [type: string, body: string] | undefined,
) {
  let uploads: Upload[] = [];

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const url = request.url!;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [path] = url.split('?') as [string];
    allowAll(request, response);
    if (request.method === 'OPTIONS') {
      response.end();
      return;
    }
    const file = request.method === 'GET' ? files(path) : undefined;
    if (file) {
      response.setHeader('Content-Type', file[0]).end(file[1]);
      return;
    }
    if (!['/pay', '/log', '/favicon.ico'].includes(path)) {
      uploads.push({ url, body: Buffer.concat(chunks) });
    }
    const found = ANSWERS.find(([pattern]) => pattern.test(path));
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(found?.[1] ?? {}));
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    /** The origin that recorders upload to: to the page it is another one. */
    uploads: `http://localhost:${port}`,
    /** The uploads since the last time. */
    take(): Upload[] {
      const taken = uploads;
      uploads = [];
      return taken;
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  };
}
