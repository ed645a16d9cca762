/** The store in Redis of docs/own-store.md. */
const WRITE = `
  if (redis.call('HGET', KEYS[1], 'version') or '0') ~= ARGV[2] then return 0 end
  redis.call('HSET', KEYS[1], 'value', ARGV[1], 'version', ARGV[2] + 1)
  return 1`;

export function redisStore(client) {
  const key = (orderId) => `cardseal:order:${orderId}`;
  return {
    async read(orderId) {
      const { value, version } = await client.hGetAll(key(orderId));
      return value === undefined ? undefined : { value, version: Number(version) };
    },
    async write(orderId, value, version) {
      const keys = [key(orderId)];
      const written = await client.eval(WRITE, { keys, arguments: [value, String(version)] });
      return written === 1; // not what the driver gives: every number but 0 would count as true
    },
  };
}
