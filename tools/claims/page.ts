/** docs/claims.md: each claim of SECURITY.md with its reasons, its tests and its controls. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Marker, markersOf } from './markers.ts';

const root = join(import.meta.dirname, '../..');

export const PAGE = join(root, 'docs/claims.md');

/** A row of a table of claims in SECURITY.md. */
export interface Claim {
  id: string;
  sentence: string;
  /** The cell `except`. It ends with a link to the claim's list if there is one. */
  exceptions: string;
}

/** The list of a claim in the section "Further exceptions" of SECURITY.md. */
export interface ExceptionList {
  id: string;
  /** Its Markdown, without the heading. */
  text: string;
}

const HEAD = `# Claims: why they hold, and what would notice if they did not

\`node tools/claims\` writes this page: do not edit it. The sentences are those of [SECURITY.md](../SECURITY.md#claims). Everything else comes from
comments beside the tests, \`// Claim\` and \`// Control\`. A test fails if its claim is false. A control shows that such a test can fail: it looks for a
fault that is there. A \`…\` in a title stands for what differs from row to row of the test's table. [How these tests run](evidence.md).
`;

export function writtenPage(): string {
  const markers = allMarkers();
  const security = readFileSync(join(root, 'SECURITY.md'), 'utf8');
  const lists = new Map(exceptionListsIn(security).map(({ id, text }) => [id, text]));
  const claims = claimsIn(security);
  const ids = claims.map(({ id }) => id);
  const sections = claims.map((claim) => section(claim, lists.get(claim.id), markers, ids));
  return [HEAD, ...sections].join('\n');
}

/** The markers of all tests and tools. */
export function allMarkers(): Marker[] {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'test', 'tools'], {
    cwd: root,
    encoding: 'utf8',
  });
  return files
    .split('\n')
    .filter((path) => path.endsWith('.ts') && !path.startsWith('tools/claims/'))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
    .filter(({ text }) => /^ *\/\/ (?:Claim|Control) /m.test(text))
    .flatMap(({ path, text }) => markersOf(path, text));
}

export function claimsIn(security: string): Claim[] {
  const rows = security.matchAll(
    /^\| \[([a-z-]+)\]\(docs\/claims\.md#\1\) \| (.+?) \| (.*?) ?\|$/gm,
  );
  return [...rows].map(([, id, sentence, exceptions]) => ({
    id: id!,
    sentence: sentence!,
    exceptions: exceptions!,
  }));
}

/** The lists of exceptions that have no room in the tables. */
export function exceptionListsIn(security: string): ExceptionList[] {
  const [, part = ''] = security.split('\n## Further exceptions\n');
  const [ofSection] = part.split(/^## /m);
  const [, ...entries] = ofSection!.split(/^### /m);
  return entries.map((entry) => {
    const [id, ...lines] = entry.split('\n');
    return { id: id!, text: lines.join('\n').trim() };
  });
}

/** The link at the end of a cell `except`, to the list of that claim. */
export const MORE = / ?\[more\]\(#([\w-]+)\)$/;

function section(
  { id, sentence, exceptions }: Claim,
  list: string | undefined,
  markers: Marker[],
  ids: string[],
): string {
  const own = markers.filter((marker) => marker.id === id);
  const reasons = own.filter(({ why }) => why).map(({ why }) => `- Why: ${withLinks(why)}`);
  const ofKind = (kind: Marker['kind'], word: string) =>
    own
      .filter((marker) => marker.kind === kind)
      .map(({ title, path }) => `- ${word}: [${escaped(title)}](../${path})`);
  const lines = [...reasons, ...ofKind('Claim', 'Test'), ...ofKind('Control', 'Control')];
  const cell = exceptions.replace(MORE, '');
  const claim = [sentence, ...(cell ? [`Except:\n\n- ${cell}`] : []), ...(list ? [list] : [])];
  const proof = `Reasons, tests and controls:\n\n${lines.join('\n')}`;
  return `## ${id}\n\n${fromDocs(claim.join('\n\n'), ids)}\n\n${proof}\n`;
}

/** The paths of files in a reason, as links. */
function withLinks(why: string): string {
  return why
    .replaceAll(/\]\(docs\//g, '](')
    .replaceAll(
      /(^| )((?:src|demo|test|tools|\.github)\/[\w./-]*\.\w+|[\w.]+\.(?:config\.ts|json))/g,
      '$1[$2](../$2)',
    );
}

/** The links of SECURITY.md, as they are in docs/. A claim has a heading of its own there. */
function fromDocs(text: string, ids: string[]): string {
  return text
    .replaceAll(/\]\((?!docs\/|https?:|#)/g, '](../')
    .replaceAll('](docs/', '](')
    .replaceAll(/\]\(#([\w-]+)\)/g, (link, anchor: string) =>
      ids.includes(anchor) ? link : `](../SECURITY.md#${anchor})`,
    );
}

function escaped(title: string): string {
  return title.replaceAll('[', '\\[').replaceAll(']', '\\]');
}
