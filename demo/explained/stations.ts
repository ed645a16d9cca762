import type { CardEncryptionError } from 'cardseal';
import { money } from '../checkout/money.ts';
import { element } from './element.ts';
import type { Field } from './fields.ts';
import { REMEDIES } from './remedies.ts';
import { capacityBar, layoutList, ruler, type Segment, toSegment } from './ruler.ts';
import type { Block, Intent, Problem, Trail } from './trail.ts';

/** All that the explanation goes by. */
export interface Scene {
  trail: Trail;
  /** What stands in the form; none where there is no form. */
  fields: Field[];
  /** Only then is the card shown. */
  isTestCard: boolean;
  error: CardEncryptionError | undefined;
}

interface Station {
  state: 'waiting' | 'live' | 'done' | 'failed';
  /** The state in words. */
  word: string;
  story: Node[];
}

/** What each station of the journey shows now, by id. */
export function stations(scene: Scene): Record<string, Station> {
  return {
    page: page(scene),
    left: left(scene),
    received: received(scene),
    answer: answer(scene),
    intent: intent(scene),
  };
}

/** RSA-OAEP with SHA-256 takes two hashes and two bytes (RFC 8017, 7.1.1). */
const capacityOf = (bits: number) => bits / 8 - 66;

function page({ trail, fields, isTestCard, error }: Scene): Station {
  const capacity = capacityOf(trail.key?.bits ?? 2048);
  const isEmpty = fields.every(({ bytes }) => bytes === 0);
  const sealed = isEmpty ? trail.left?.layout : undefined;
  const segments: Segment[] = sealed
    ? sealed.map(({ field, len }) => ({ field, bytes: len }))
    : fields.map((field) => toSegment(field, isTestCard));
  const used = segments.reduce((sum, { bytes }) => sum + bytes, 0);
  const story = [
    element(
      'p',
      { class: 'badge', 'data-tone': isTestCard ? 'good' : 'plain' },
      badge({ isEmpty, isTestCard, isSealed: Boolean(sealed) }),
    ),
    ...(used ? [ruler(segments, capacity), table(segments, fields, isTestCard)] : []),
    ...(used ? [capacityBar(segments, capacity), room(used, capacity)] : []),
    ...(trail.key && !sealed ? [keyLine(trail.key)] : []),
    ...(error
      ? [
          problem(
            `CardEncryptionError${error.field ? `, field ${error.field}` : ''}`,
            error.code,
            error.message,
          ),
        ]
      : []),
  ];
  if (error)
    return { state: 'failed', word: error.field ? 'to be corrected' : 'stopped here', story };
  if (sealed) return { state: 'done', word: 'encrypted and wiped', story };
  return isEmpty
    ? { state: 'waiting', word: 'waiting for a card', story }
    : { state: 'live', word: 'as you type', story };
}

function badge({
  isEmpty,
  isTestCard,
  isSealed,
}: Record<'isEmpty' | 'isTestCard' | 'isSealed', boolean>): string {
  if (isSealed)
    return (
      'The card is gone: the form’s fields are empty. ' +
      'Its lengths remain, because the layout has them.'
    );
  if (isEmpty) return 'Choose a test card, or type one, to see its bytes here.';
  if (isTestCard)
    return 'This is a test card of the demo, so it is shown. No real page may do this.';
  return 'This is not a test card of the demo, so only lengths are shown.';
}

function table(segments: Segment[], fields: Field[], isClear: boolean): HTMLElement {
  const rows = segments.map(({ field, bytes, characters }, i) =>
    element(
      'tr',
      { 'data-field': field },
      element(
        'th',
        { scope: 'row' },
        element('span', { class: 'swatch', 'aria-hidden': 'true' }),
        field,
      ),
      element('td', { class: 'text' }, characters ? textOf(fields[i]!, isClear) : 'wiped'),
      element('td', { class: 'count' }, characters ? String(characters.length) : '–'),
      element(
        'td',
        { class: 'count', ...(characters && characters.length !== bytes && { 'data-apart': '' }) },
        String(bytes),
      ),
    ),
  );
  const heads = ['Field', 'Text', 'Characters', 'Bytes'].map((head, i) =>
    element('th', { scope: 'col', ...(i > 1 && { class: 'count' }) }, head),
  );
  return element(
    'table',
    { class: 'fields' },
    element(
      'caption',
      {},
      'The layout tells the service where each field ends: it counts bytes, not characters.',
    ),
    element('thead', {}, element('tr', {}, ...heads)),
    element('tbody', {}, ...rows),
  );
}

/** All of a long name is in the ruler. */
function textOf({ characters }: Field, isClear: boolean): string {
  if (!isClear) return characters.length ? 'not shown' : '–';
  return characters.length > 40 ? `${characters.slice(0, 40).join('')}…` : characters.join('');
}

function room(used: number, capacity: number): HTMLElement {
  if (used <= capacity) {
    return element(
      'p',
      { class: 'room' },
      element('strong', {}, `${used} of ${capacity} bytes`),
      `; ${capacity - used} are left for a longer name.`,
    );
  }
  const text = `${used - capacity} bytes more than one block of ${capacity} takes`;
  return element(
    'p',
    { class: 'room' },
    element('strong', {}, text),
    ': this will be refused as card_too_long, before anything is encrypted.',
  );
}

function keyLine({ id, scheme, bits, expires_at }: NonNullable<Trail['key']>): HTMLElement {
  return element(
    'dl',
    { class: 'facts' },
    ...fact('Key', code(id)),
    ...fact('Scheme', code(scheme)),
    ...fact('Modulus', `${bits} bits`),
    ...fact('Good until', time(expires_at), ', for one card'),
  );
}

function left({ trail, error }: Scene): Station {
  if (!trail.left) {
    const text = error
      ? 'Nothing was sent. ' + 'Without a valid key and a valid card, cardseal makes no block.'
      : 'Nothing yet. ' +
        'When the shopper pays, cardseal encrypts the whole string at once and empties the fields.';
    return waiting(text);
  }
  const { payload, key_id, layout } = trail.left;
  return {
    state: 'done',
    word: 'sent',
    story: [
      element(
        'p',
        {},
        `${payload.bytes} bytes of ciphertext that only the processor can open. ` +
          'The same card never gives the same bytes twice.',
      ),
      element(
        'dl',
        { class: 'facts' },
        ...fact(
          'payload',
          code(`${payload.start}…`),
          ` ${Math.ceil(payload.bytes / 3) * 4} characters of Base64`,
        ),
        ...fact('key_id', code(key_id)),
        ...fact('layout', layoutList(layout)),
      ),
    ],
  };
}

function received({ trail }: Scene): Station {
  if (!trail.received || !trail.left)
    return waiting('Nothing yet. The server will never have the card, only the block.');
  const isChanged = JSON.stringify(trail.received.layout) !== JSON.stringify(trail.left.layout);
  const story = [
    element(
      'p',
      {},
      code('POST /explained/payment'),
      `, ${trail.received.bytes} bytes of JSON with three properties: payload, key_id, layout.`,
    ),
    ...(isChanged ? tampering(trail.received, trail.left) : []),
  ];
  if (trail.refusal) {
    const { code } = trail.refusal;
    const text = 'The merchant’s server sent no block to the service.';
    const todo = REMEDIES[code] ?? REMEDIES.block_not_sent;
    return {
      state: 'failed',
      word: 'stopped here',
      story: [...story, problem('The shop', code, text, todo)],
    };
  }
  story.push(
    element(
      'p',
      {},
      'The server has no number, name, date or code. It checks that the block was made under ' +
        'the key of this checkout, and forwards it with its secret key.',
    ),
  );
  if (isChanged) return { state: 'failed', word: 'not what was sent', story };
  return { state: 'done', word: trail.answer ? 'sent on' : 'received', story };
}

function tampering(got: Block, sent: Block): Node[] {
  const text =
    'This is not the layout that the page sent. It has a valid form and the same sum, ' +
    'so nobody can see the change before the block is decrypted:';
  return [element('p', {}, text), layoutList(got.layout, sent.layout)];
}

function answer({ trail }: Scene): Station {
  if (!trail.answer) return waiting(trail.refusal ? 'The service got no block.' : 'Nothing yet.');
  if ('code' in trail.answer) return noIntent(trail.answer);
  const { intent: id, status } = trail.answer;
  const paid = trail.intents.find((intent) => intent.id === id)!;
  const outcome = paid.states.at(-1)!.status;
  const line = element(
    'p',
    { class: 'verdict' },
    code(`HTTP ${status}`),
    ' ',
    element('strong', {}, outcome),
  );
  if (outcome === 'failed') {
    const reason = element(
      'p',
      {},
      'failure_reason is ',
      code(paid.failure_reason ?? 'null'),
      '. A decline is an outcome, not an error.',
    );
    const todo = remedy(
      'Offer the form for another card, with a new intent and a new key: ' +
        'this intent is over, and this key is spent.',
    );
    return { state: 'failed', word: 'declined', story: [line, reason, todo] };
  }
  if (!['committed', 'authorized'].includes(outcome) || !paid.payment_method) {
    const text = `This is no outcome that the specification shows. ${NOT_CERTAIN}`;
    const story = [line, element('p', {}, text), remedy(REMEDIES.resolve_intent)];
    return { state: 'failed', word: 'not certain', story };
  }
  const { brand, last4 } = paid.payment_method;
  const back = element(
    'p',
    {},
    'The service returns the brand and the last four digits, and nothing else of the card: ',
    code(`${brand} …${last4}`),
  );
  return { state: 'done', word: 'approved', story: [line, back] };
}

const NOT_CERTAIN = 'The card may have been charged, and the merchant’s server does not know.';

/** The errors of the specification: the block was not taken. */
const BLOCK_ERRORS = [
  'encryption_key_expired',
  'unknown_encryption_key',
  'invalid_encryption_block',
];

/** An error, or no answer. */
function noIntent({ code, status }: Problem): Station {
  const where = status === undefined ? 'No answer' : `HTTP ${status}`;
  if (!BLOCK_ERRORS.includes(code))
    return { state: 'failed', word: 'not certain', story: [problem(where, code, NOT_CERTAIN)] };
  const text = 'The service did not take the block. The intent has not changed.';
  return { state: 'failed', word: 'refused', story: [problem(where, code, text)] };
}

function intent({ trail }: Scene): Station {
  // Not by their creation: of two requests for a key at the same time, each may create a draft, and
  // the order keeps only one of them.
  const changedAt = ({ states }: Intent) => states.at(-1)!.at;
  const intents = [...trail.intents].reverse().sort((a, b) => changedAt(b) - changedAt(a));
  const latest = intents[0];
  if (!latest) return waiting('Nothing yet.');
  const end = latest.states.at(-1)!.status;
  return {
    state: end === 'created' ? 'live' : end === 'failed' ? 'failed' : 'done',
    word: end,
    story: intents.map(timeline),
  };
}

function timeline({ id, amount, currency, states }: Intent): HTMLElement {
  return element(
    'div',
    { class: 'intent' },
    element('p', {}, code(id), ` ${money({ amount, currency })}`),
    element(
      'ol',
      { class: 'timeline' },
      ...states.map(({ status, at }) =>
        element('li', { 'data-status': status }, element('strong', {}, status), ' ', time(at)),
      ),
      states.length === 1 && element('li', { 'data-status': 'open' }, 'waits for the card'),
    ),
  );
}

function problem(
  where: string,
  errorCode: Problem['code'],
  text: string,
  todo = REMEDIES[errorCode] ?? REMEDIES.not_specified,
): HTMLElement {
  return element(
    'div',
    { class: 'trouble' },
    element('p', { class: 'trouble-code' }, element('span', {}, `${where}: `), code(errorCode)),
    element('p', {}, text),
    remedy(todo),
  );
}

function remedy(text: string): HTMLElement {
  return element('p', { class: 'remedy' }, element('strong', {}, 'What to do: '), text);
}

function waiting(text: string): Station {
  return { state: 'waiting', word: 'waiting', story: [element('p', {}, text)] };
}

function fact(name: string, ...value: (Node | string)[]): [HTMLElement, HTMLElement] {
  return [element('dt', {}, name), element('dd', {}, ...value)];
}

function code(text: string): HTMLElement {
  return element('code', { class: 'bytes' }, text);
}

function time(at: number): HTMLElement {
  const date = new Date(at);
  return element(
    'time',
    { class: 'bytes', datetime: date.toISOString() },
    date.toLocaleTimeString('en-GB'),
  );
}
