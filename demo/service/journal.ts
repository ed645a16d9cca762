import type { Payment } from './intents.ts';
import type { SandboxState } from './schemas.ts';

type RequestLine = SandboxState['requests'][number];

/** What has just happened, for a page that is open. */
export type News =
  | { type: 'payment'; payment: Payment }
  | { type: 'request'; request: RequestLine }
  /** Look at everything anew. */
  | { type: 'everything' };

/** So many requests are remembered. */
const MOST_REQUESTS = 200;

/** The last requests, and who wants to hear of more. Nothing of a request is kept but its route. */
export function createJournal() {
  let requests: RequestLine[] = []; // newest first
  const listeners = new Set<(news: News) => void>();
  const tell = (news: News) => {
    for (const listener of listeners) listener(news);
  };

  return {
    requests: (): readonly RequestLine[] => requests,
    add(request: RequestLine) {
      requests = [request, ...requests].slice(0, MOST_REQUESTS);
      tell({ type: 'request', request });
    },
    tell,
    /** Returns a function that ends it. */
    listen(listener: (news: News) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    reset() {
      requests = [];
    },
  };
}

export type Journal = ReturnType<typeof createJournal>;
