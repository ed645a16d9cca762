/**
 * Whether the check may run on a host: on this machine, and where its tag names the host. A copy
 * that was left in a shop's page by mistake does nothing.
 *
 * @param named - Of `data-test-host`: hosts without ports, separated by spaces or commas.
 */
export function isTestHost(host: string, named: string): boolean {
  const isLoopback = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(host);
  return isLoopback || hostsIn(named).includes(host);
}

/** The hosts of an attribute. */
export const hostsIn = (named: string): string[] => named.split(/[\s,]/).filter(Boolean);
