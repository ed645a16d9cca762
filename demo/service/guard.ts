import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from './errors.ts';

/**
 * The page and the controls need no secret key, so a page of another site must not reach them: not
 * by a cross-site request, and not by a name of its own that it lets point to this machine (DNS
 * rebinding).
 *
 * @param names - Host names that are allowed beside those of the loopback interface.
 * @param anyAddress - Whether an IP address is allowed as the host. A rebound name is never one.
 */
export function createGuard(names: readonly string[], anyAddress: boolean) {
  return async function refuseForeign(request: FastifyRequest) {
    const host = hostOf(request);
    const isOwn = isLoopbackName(host) || names.includes(host) || (anyAddress && isAddress(host));
    if (!isOwn) throw new ServiceError('forbidden_host');
    if (isCrossSite(request) && !isNavigation(request)) {
      throw new ServiceError('cross_site_request');
    }
  };
}

/** Whether a request comes from this machine, and by a name of this machine. */
export function isFromHere(request: FastifyRequest): boolean {
  const address = request.socket.remoteAddress ?? '';
  return isLoopbackAddress(address) && isLoopbackName(hostOf(request));
}

/** Without the port, in small letters; `[::1]` without its brackets. */
function hostOf({ headers }: FastifyRequest): string {
  const url = `http://${headers.host}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : '';
}

const isAddress = (host: string) => isIP(host) !== 0;

function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || isLoopbackAddress(host);
}

function isLoopbackAddress(address: string): boolean {
  const ipv4 = address.replace(/^::ffff:/, '');
  return address === '::1' || (isIP(ipv4) === 4 && ipv4.startsWith('127.'));
}

/** Browsers say it in `Sec-Fetch-Site`; those that do not send `Origin` with every POST. */
function isCrossSite({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin, host } = headers;
  return origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`;
}

/** Someone has followed a link to the page. */
function isNavigation({ method, headers, url }: FastifyRequest): boolean {
  return (
    method === 'GET' &&
    url === '/' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document'
  );
}
