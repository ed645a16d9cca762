/** The store in Redis of docs/own-store.md. */
const DUE = 'cardseal:due'; // the ids of orders that sweep has to look at

const WRITE = `
  if (redis.call('HGET', KEYS[1], 'version') or '0') ~= ARGV[2] then return 0 end
  redis.call('HSET', KEYS[1], 'value', ARGV[1], 'version', ARGV[2] + 1)
  if ARGV[3] == 'due' then redis.call('ZADD', KEYS[2], 0, ARGV[4])
  else redis.call('ZREM', KEYS[2], ARGV[4]) end
  return 1`;

export function redisStore(client) {
  const key = (orderId) => `cardseal:order:${orderId}`;
  const read = async (orderId) => {
    const { value, version } = await client.hGetAll(key(orderId));
    return value === undefined ? undefined : { value, version: Number(version) };
  };
  return {
    read,
    async write(orderId, value, version, due = true) {
      const written = await client.eval(WRITE, {
        keys: [key(orderId), DUE],
        arguments: [value, String(version), due ? 'due' : '', orderId],
      });
      return written === 1; // not what the driver gives: every number but 0 would count as true
    },
    async list({ limit, after }) {
      const from = after === undefined ? '-' : `(${after}`;
      const options = { BY: 'LEX', LIMIT: { offset: 0, count: limit } };
      const ids = await client.zRange(DUE, from, '+', options);
      return Promise.all(ids.map(async (orderId) => ({ orderId, ...(await read(orderId)) })));
    },
  };
}
