/** docs/api/: a page for each entry of the package, from the doc comments in src/. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENGLISH } from '../../src/form/feedback/texts.ts';
import { ENGLISH_OUTCOMES } from '../../src/pay/texts.ts';
import { anchorOf } from './anchor.ts';
import type { Comment } from './comment.ts';
import {
  type Declared,
  declarationIn,
  exportsOf,
  globalMembers,
  headOf,
  type Member,
  oneLine,
} from './declarations.ts';

const root = join(import.meta.dirname, '../..');

export const FOLDER = join(root, 'docs/api');

interface Page {
  file: string;
  /** As package.json's `exports` name it. */
  entry: string;
  /** What it exports, and at its top a comment about the entry. */
  source: string;
  /** An interface that names the attributes which it reads, and its file. */
  attributes?: [name: string, path: string];
  /** The file that declares its events. */
  events?: string;
  /** The headings in their order, in groups with a title. Others follow. */
  groups?: [title: string, headings: string[]][];
}

const PAGES: Page[] = [
  { file: 'core.md', entry: 'cardseal', source: 'src/core/index.ts' },
  {
    file: 'form.md',
    entry: 'cardseal/form',
    source: 'src/form/index.ts',
    attributes: ['CardFormAttributes', 'src/form/options.ts'],
    events: 'src/form/options.ts',
    groups: [
      ['In a script', ['bindCardForm', 'CardFormOptions', 'CardFormBinding', 'Events']],
      ['In HTML', ['Attributes']],
      ['Texts for shoppers', ['ShownProblem', 'CardProblem', 'FormProblem']],
    ],
  },
  {
    file: 'pay.md',
    entry: 'cardseal/pay',
    source: 'src/pay/index.ts',
    attributes: ['OutcomeAttributes', 'src/pay/options.ts'],
    events: 'src/pay/options.ts',
    groups: [
      ['In a script', ['bindCheckout', 'CheckoutFormOptions', 'CheckoutBinding', 'Events']],
      ['In HTML', ['Attributes']],
      ['Outcomes', ['OutcomeStatus', 'CheckoutResponse', 'shownOf', 'ShownOutcome']],
      ['Texts for shoppers', ['CheckoutMessages', 'OutcomeMessages', 'OutcomeText']],
    ],
  },
  { file: 'server.md', entry: 'cardseal/server', source: 'src/server/index.ts' },
  {
    file: 'checkout.md',
    entry: 'cardseal/checkout',
    source: 'src/checkout/index.ts',
    groups: [
      [
        'A checkout',
        [
          ...['createCheckout', 'CheckoutOptions', 'Checkout', 'Handler', 'CheckoutCalls'],
          ...['Order', 'Outcome', 'LastTry', 'IssuedKey', 'PaidOrder', 'PaidOutcome'],
        ],
      ],
      ['A request', ['HandleOptions', 'NodeOptions', 'SenderOptions', 'ServerRequest']],
      ['For staff', ['Resolution', 'SweepOptions', 'IntentStatus', 'SweptOrder']],
      [
        'Stores',
        [
          ...['postgresStore', 'mysqlStore', 'sqliteStore', 'memoryStore', 'checkStore'],
          ...['OrderStore', 'ListOptions', 'ListedOrder', 'CheckStoreOptions'],
        ],
      ],
      [
        'The client of the service',
        [
          ...['CardPayments', 'CardPaymentsOptions', 'RequestOptions', 'IdempotentOptions'],
          ...['EncryptionKeyResource', 'NewCardPaymentIntent', 'CardPaymentIntent'],
          ...['CaptureMethod', 'CardPaymentsError', 'Recovery', 'EncryptionErrorCode'],
        ],
      ],
    ],
  },
  { file: 'testing.md', entry: 'cardseal/testing', source: 'src/testing/index.ts' },
  {
    file: 'script-tag.md',
    entry: 'cardseal/cardseal.js',
    source: 'src/script-tag/global.ts',
    attributes: ['TagAttributes', 'src/script-tag/attributes.ts'],
  },
  {
    file: 'pay-tag.md',
    entry: 'cardseal/cardseal.pay.js',
    source: 'src/pay-tag/global.ts',
    attributes: ['PayTagAttributes', 'src/pay-tag/index.ts'],
  },
  {
    file: 'check.md',
    entry: 'cardseal/cardseal.check.js',
    source: 'src/check/global.ts',
    attributes: ['CheckTagAttributes', 'src/check/index.ts'],
    groups: [
      ['In HTML', ['Attributes']],
      ['In a script', ['CheckTag', 'Report', 'Finding', 'FindingKind', 'PressLine', 'Site']],
    ],
  },
];

const NOTE =
  '`node tools/api` writes this page from the comments in the source: do not edit it here.';

/** The text of each page, by its file in docs/api/. */
export function writtenPages(): Map<string, string> {
  const index = `# API reference\n\n${NOTE}\n\n${indexTable()}\n${OTHER_ENTRIES}`;
  return new Map([
    ['README.md', index],
    ...PAGES.map((page): [string, string] => [page.file, written(page)]),
  ]);
}

function indexTable(): string {
  const rows = PAGES.map(({ file, entry, source }) => {
    const [first] = inProse(headOf(source).text).split('\n\n');
    return [`[\`${entry}\`](${file})`, namesOf(source), oneLine(first!)];
  });
  return table(['entry', 'functions and classes', 'what it is for'], rows);
}

/** The functions and classes, or the global of a script file. */
function namesOf(source: string): string {
  const own = ownExports(source);
  const texts = own.map(({ comment }) => comment.text).join('\n');
  const [, global] = /^The global (`\w+`)/m.exec(texts) ?? [];
  if (global) return global;
  return own
    .filter(({ kind }) => kind === 'function' || kind === 'class')
    .map(({ name }) => linked(name) ?? name)
    .join(', ');
}

const OTHER_ENTRIES = `
The other entries are data: \`cardseal/messages/*.json\` and \`cardseal/messages/pay/*.json\`, [texts in eleven languages](../messages.md#other-texts-and-other-languages),
and \`cardseal/importmap.json\`, [an import map](../script-tag.md#es-modules-without-a-bundler).
`;

function written(page: Page): string {
  const { file, entry, source, groups = [] } = page;
  const sections = sectionsOf(page);
  const grouped = groups.flatMap(([, headings]) => headings);
  const others = [...sections.keys()].filter((heading) => !grouped.includes(heading));
  const all = others.length
    ? [...groups, [groups.length ? 'Others' : '', others] as const]
    : groups;
  const contents = all.map(([title, headings]) => {
    const links = headings.map((heading) => `[${heading}](#${anchorOf(heading)})`).join(' · ');
    return title ? `- ${title}: ${links}` : links;
  });
  const inOrder = all.flatMap(([, headings]) => headings).map((heading) => sections.get(heading)!);
  const parts = [
    `# \`${entry}\``,
    NOTE,
    inProse(headOf(source).text),
    contents.join('\n'),
    ...inOrder,
  ];
  return `${parts.join('\n\n')}\n`.replaceAll(`](${file}#`, '](#');
}

/** Each section of a page by its heading: first what there is at run time. */
function sectionsOf({ source, attributes, events }: Page): Map<string, string> {
  const declared = ownExports(source).map((it): [string, string] => [it.name, section(it)]);
  return new Map([
    ...(attributes ? [['Attributes', attributeSection(...attributes)] as const] : []),
    ...declared,
    ...(events ? [['Events', eventSection(events)] as const] : []),
  ]);
}

/** What another page has, such as the error class, is only there. */
function ownExports(source: string): Declared[] {
  return exportsOf(source).filter(({ path }) => roomOf(path) === roomOf(source));
}

const roomOf = (path: string) => path.split('/')[1];

/** Where each name has its heading. */
const places = new Map(
  PAGES.flatMap(({ file, source }) =>
    ownExports(source).map(({ name }) => [name, `${file}#${anchorOf(name)}`]),
  ),
);

function section(it: Declared): string {
  const parts = [`## ${it.name}`];
  const isTableOfUnion = it.members[0]?.kind === 'of a union';
  if (it.signature && !isTableOfUnion) parts.push(code(it.signature));
  parts.push(...describe(it.comment, it.name));
  const bases = basesText(it.bases);
  if (bases) parts.push(bases);
  parts.push(...membersText(it));
  return parts.filter(Boolean).join('\n\n');
}

function membersText({ name, members }: Declared): string[] {
  if (members[0]?.kind === 'of a union') return [unionTable(name, members)];
  if (members.length === 0) return [];
  if (members.every(isShort)) return [propertyTable(name, members)];
  // Options stay in their order. Beside methods, the few properties come first.
  const isInTable = (member: Member) => isShort(member) && members.some(isMethod);
  const short = members.filter(isInTable);
  return [
    ...(short.length ? [propertyTable(name, short)] : []),
    ...members.filter((it) => !isInTable(it)).map((member) => memberSection(name, member)),
  ];
}

const isMethod = ({ kind }: Member) => kind === 'method';

/** Whether a row of a table has room for it. */
function isShort({ kind, comment: { text, params, examples } }: Member): boolean {
  const isPlain = !text.includes('\n\n') && !text.includes('\n- ') && params.length === 0;
  return kind === 'property' && isPlain && examples.length === 0 && text.length < 260;
}

function memberSection(owner: string, member: Member): string {
  const { name, kind, type, isOptional, signature, comment } = member;
  const title = name === 'constructor' ? `new ${owner}` : kind === 'method' ? `${name}()` : name;
  const line = kind === 'method' ? signature : `${name}${isOptional ? '?' : ''}: ${type}`;
  return [`### \`${title}\``, code(line), ...describe(comment, `${owner}.${name}`)].join('\n\n');
}

function propertyTable(owner: string, members: Member[]): string {
  const areAllRequired = members.every(({ isOptional }) => !isOptional);
  const rows = members.map(({ name, type, isOptional, comment }) => [
    `\`${name}\`${isOptional || areAllRequired ? '' : ' (required)'}`,
    typeText(type),
    cell(comment, `${owner}.${name}`),
  ]);
  return table(['property', 'type', 'meaning'], rows);
}

/** The texts that shoppers read, by name. */
const TEXTS: Record<string, string> = { ...ENGLISH, ...ENGLISH_OUTCOMES };

function unionTable(owner: string, members: Member[]): string {
  const wordOf = ({ name }: Member) => /^'(\w+)'$/.exec(name)?.[1] ?? name;
  const hasTexts = ['CardProblem', 'FormProblem', 'OutcomeStatus', 'OutcomeText'].includes(owner);
  const rows = members.map((member) => [
    `\`${wordOf(member)}\``,
    cell(member.comment, `${owner} ${member.name}`),
    ...(hasTexts ? [TEXTS[wordOf(member)] ?? ''] : []),
  ]);
  return table(['value', 'meaning', ...(hasTexts ? ['English text'] : [])], rows);
}

function eventSection(path: string): string {
  const events = globalMembers(path, 'GlobalEventHandlersEventMap');
  const detailOf = (type: string) => /^CustomEvent<(.*)>$/.exec(type)![1]!;
  const rows = events.map((event) => rowOf({ ...event, type: detailOf(event.type) }));
  const text =
    'The events are raised on the form. They bubble, and they leave shadow roots. No event holds ' +
    'anything of the card.';
  return ['## Events', text, table(['event', '`detail`', 'when'], rows)].join('\n\n');
}

function attributeSection(name: string, path: string): string {
  const { comment, members } = declarationIn(path, name);
  const rows = table(['attribute', 'value', 'meaning'], members.map(rowOf));
  return ['## Attributes', inProse(comment.text), rows].join('\n\n');
}

const rowOf = ({ name, type, comment }: Member): string[] => [
  `\`${name}\``,
  typeText(type),
  cell(comment, name),
];

/** A comment as paragraphs. */
function describe(comment: Comment, name: string): string[] {
  const { text, params, returns, throws, examples } = comment;
  if (!text && throws.length === 0) throw new Error(`${name} has no doc comment`);
  const [body, scheme] = text.split(/\n+(?=Scheme: )/);
  const parts = [inProse(body!)];
  if (params.length) {
    const rows = params.map((it) => `- \`${it.name}\`: ${indented(inProse(it.text))}`);
    parts.push(['**Parameters:**\n', ...rows].join('\n'));
  }
  if (returns) parts.push(`**Returns:** ${inProse(returns)}`);
  for (const it of throws) {
    const [said, schemeOfTag] = it.split(/\n+(?=Scheme: )/);
    parts.push(`**Throws** ${inProse(said!)}`);
    if (schemeOfTag) parts.push(inProse(schemeOfTag));
  }
  if (scheme) parts.push(inProse(scheme));
  return [...parts, ...examples.map((it) => `**Example:**\n\n${it}`)].filter(Boolean);
}

/** A comment in one line. */
function cell({ text }: Comment, name: string): string {
  if (!text) throw new Error(`${name} has no doc comment`);
  return oneLine(inProse(text));
}

function basesText(bases: string[]): string {
  const own = bases.filter((it) => it !== 'Error');
  const texts = own.map((base) => {
    const [, type, names] = /^Pick< ?(\w+), (.*?) ?>$/.exec(base) ?? [];
    if (type) return `${names!.replaceAll("'", '`').replaceAll(' |', ',')} of ${linked(type)}`;
    const name = /^Readonly<(\w+)>$/.exec(base)?.[1] ?? base;
    return `the members of ${linked(name) ?? `\`${name}\``}`;
  });
  return texts.length ? `It also has ${texts.join(', and ')}.` : '';
}

function typeText(type: string): string {
  const [, name, end = ''] = /^(\w+)(\[\])?$/.exec(type) ?? [];
  const link = name && linked(name);
  if (type === "''") return 'none';
  return link ? `${link}${end && ' (array)'}` : `\`${type}\``;
}

function linked(name: string): string | undefined {
  const [owner, member] = name.split('.');
  const place = places.get(owner!);
  const file = place?.split('#')[0];
  return place && `[\`${name}\`](${member ? `${file}#${anchorOf(member)}` : place})`;
}

/** Text of a comment with its links as Markdown has them, seen from docs/api/. */
function inProse(text: string): string {
  return text
    .replaceAll(/\{@link ([\w.]+)\}/g, (_, name: string) => linked(name) ?? `\`${name}\``)
    .replaceAll(
      /(?<![\w/(])docs\/([\w/-]+\.md)(?:#([\w-]+))?/g,
      (_, file: string, anchor?: string) => linkTo(file, anchor),
    );
}

function linkTo(file: string, anchor: string | undefined): string {
  if (file.startsWith('api/')) return linkToReference(file.slice('api/'.length), anchor);
  const text = readFileSync(join(root, 'docs', file), 'utf8');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);
  const heading = anchor ? headings.find((it) => anchorOf(it) === anchor) : headings[0];
  if (!heading) throw new Error(`docs/${file} has no heading #${anchor}`);
  return `[${heading.replaceAll('`', '')}](../${file}${anchor ? `#${anchor}` : ''})`;
}

/** To a page that may not be written yet. */
function linkToReference(file: string, anchor = ''): string {
  const page = PAGES.find((it) => it.file === file);
  const name = [...places].find(([, place]) => place === `${file}#${anchor}`)?.[0];
  if (name) return linked(name)!;
  if (!page || !['attributes', 'events'].includes(anchor))
    throw new Error(`docs/api/${file} has no heading #${anchor}`);
  return `[${anchor}](${file}#${anchor})`;
}

const code = (text: string) => `\`\`\`typescript\n${text}\n\`\`\``;

const indented = (text: string) => text.replaceAll('\n', '\n  ');

function table(header: string[], rows: string[][]): string {
  const line = (cells: string[]) =>
    `| ${cells.map((it) => it.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), `|${'---|'.repeat(header.length)}`, ...rows.map(line)].join('\n');
}
