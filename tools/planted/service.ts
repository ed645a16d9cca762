import type { Fault } from './fault.ts';

const KEYS = 'demo/service/processor/encryption-keys.ts';
const BLOCK = 'demo/service/processor/encrypted-block.ts';
const INTENTS = 'demo/service/intents.ts';
const IDEMPOTENCY = 'demo/service/idempotency.ts';

export const SERVICE: readonly Fault[] = [
  {
    name: 'a key decrypts twice',
    file: KEYS,
    before: '      record.pair = undefined;\n',
    after: '',
    breaks: 'a merchant who sends a block twice learns of it in production only',
    tests: ['node demo/service/robustness'],
  },
  {
    name: 'the key of another account',
    file: KEYS,
    before: 'if (record?.account !== account)',
    after: 'if (!record)',
    breaks: 'one merchant can use up the keys of another',
    tests: ['node demo/service/specification'],
  },
  {
    name: 'keys do not expire',
    file: KEYS,
    before: 'now > record.expires_at || expired.has(id)',
    after: 'false',
    breaks: 'a merchant never sees what happens to a slow shopper',
    tests: ['node demo/service/specification'],
  },
  {
    name: 'two authorizations at once',
    file: INTENTS,
    before:
      '      authorizing.add(id); // in the turn of the check: of many at once exactly one gets here\n',
    after: '',
    breaks: 'a double click charges twice',
    tests: ['node demo/service/robustness'],
  },
  {
    name: 'a declined intent is authorized again',
    file: INTENTS,
    before: "const intent = getIn(['created'], account, id);",
    after: "const intent = getIn(['created', 'failed'], account, id);",
    breaks: 'a merchant relies on what the service refuses',
    tests: ['node demo/service/choices'],
  },
  {
    name: 'a manual capture captures at once',
    file: INTENTS,
    before: "if (intent.capture_method === 'manual')",
    after: "if (intent.description === 'manual')",
    breaks: 'a shopper pays for goods that are not shipped yet',
    tests: ['node demo/service/specification'],
  },
  {
    name: 'more is refunded than was paid',
    file: INTENTS,
    before: 'if (left === 0 || amount > left)',
    after: 'if (left === 0)',
    breaks: 'the merchant loses money',
    tests: ['node demo/service/choices'],
  },
  {
    name: 'the list has intents of all accounts',
    file: INTENTS,
    before: 'const ids = idsByAccount.get(account) ?? [];\n      const end',
    after: 'const ids = [...entries.keys()];\n      const end',
    breaks: 'one merchant reads the payments of another',
    tests: ['node demo/service/choices'],
  },
  {
    name: 'an intent of another account can be read',
    file: INTENTS,
    before: 'if (found?.account !== account)',
    after: 'if (!found)',
    breaks: 'one merchant reads and cancels the payments of another',
    tests: ['node demo/service/choices'],
  },
  {
    name: 'an Idempotency-Key is shared by all accounts',
    file: IDEMPOTENCY,
    before: 'hash(request.account, key)',
    after: 'hash(key)',
    breaks: 'one merchant gets the answer to another’s request',
    tests: ['node demo/service/choices'],
  },
  {
    name: 'an Idempotency-Key hides another request',
    file: IDEMPOTENCY,
    before:
      "      if (entry.fingerprint !== fingerprint) throw new ServiceError('idempotency_key_reused');\n",
    after: '',
    breaks: 'an order of another amount counts as paid',
    tests: ['node demo/service/choices'],
  },
  {
    name: 'an Idempotency-Key does not wait',
    file: IDEMPOTENCY,
    before:
      "      if (!entry.response) throw new ServiceError('idempotency_key_in_use');\n      const { status, body } = entry.response;",
    after: '      if (!entry.response) return;\n      const { status, body } = entry.response;',
    breaks: 'a request that is repeated while the first one runs is carried out twice',
    tests: ['node demo/service/robustness'],
  },
  {
    name: 'the plaintext stays in memory',
    file: BLOCK,
    before: '    plaintext.fill(0);\n',
    after: '',
    breaks: 'a dump of the service has the cards of its shoppers',
    tests: ['node demo/service/robustness'],
  },
  {
    name: 'bytes after the last field',
    file: BLOCK,
    before: 'return matches && start === plaintext.length ?',
    after: 'return matches ?',
    breaks: 'a client that sends more than the layout says works here, and nowhere else',
    tests: ['node demo/service/vectors'],
  },
  {
    name: 'fields in any order',
    file: BLOCK,
    before: '      layout[i]?.field === field &&\n',
    after: '',
    breaks: 'a client with a wrong layout works here, and nowhere else',
    tests: ['node demo/service/vectors'],
  },
  {
    name: 'answers can be cached',
    file: 'demo/service/app.ts',
    before: "'cache-control': 'no-store', ",
    after: '',
    breaks: 'a cache between service and merchant gives a key to two shoppers',
    tests: ['node demo/service/choices'],
  },
  {
    name: 'an error names what was posted',
    file: 'demo/service/answers.ts',
    before: 'Object.keys(schema?.properties ?? {}).find((property) => property === name);',
    after: 'schema && name;',
    breaks: 'a card that was posted in the place of a name stands in the answer and in logs',
    tests: ['node demo/service/robustness'],
  },
];
