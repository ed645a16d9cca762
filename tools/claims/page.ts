/** docs/claims.md: each claim of SECURITY.md with its reasons, its tests and its controls. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Marker, markersOf } from './markers.ts';

const root = join(import.meta.dirname, '../..');

export const PAGE = join(root, 'docs/claims.md');

/** A row of the table of claims in SECURITY.md. */
export interface Claim {
  id: string;
  sentence: string;
  exceptions: string;
}

const HEAD = `# Claims: why they hold, and what would notice if they did not

\`node tools/claims\` writes this page: do not edit it. The sentences are those of [SECURITY.md](../SECURITY.md#claims). Everything else comes from
comments beside the tests, \`// Claim\` and \`// Control\`. A test fails if its claim is false. A control shows that such a test can fail: it looks for a
fault that is there. A \`…\` in a title stands for what differs from row to row of the test's table. [How these tests run](evidence.md).
`;

export function writtenPage(): string {
  const markers = allMarkers();
  const claims = claimsIn(readFileSync(join(root, 'SECURITY.md'), 'utf8'));
  return `${[HEAD, ...claims.map((claim) => section(claim, markers))].join('\n')}`;
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

function section({ id, sentence, exceptions }: Claim, markers: Marker[]): string {
  const own = markers.filter((marker) => marker.id === id);
  const reasons = own.filter(({ why }) => why).map(({ why }) => `- Why: ${withLinks(why)}`);
  const ofKind = (kind: Marker['kind'], word: string) =>
    own
      .filter((marker) => marker.kind === kind)
      .map(({ title, path }) => `- ${word}: [${escaped(title)}](../${path})`);
  const lines = [...reasons, ...ofKind('Claim', 'Test'), ...ofKind('Control', 'Control')];
  const text = exceptions ? `${sentence} Except: ${exceptions}` : sentence;
  return `## ${id}\n\n${fromDocs(text)}\n\n${lines.join('\n')}\n`;
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

/** The links of SECURITY.md, as they are in docs/. */
function fromDocs(text: string): string {
  return text.replaceAll(/\]\((?!docs\/|https?:|#)/g, '](../').replaceAll('](docs/', '](');
}

function escaped(title: string): string {
  return title.replaceAll('[', '\\[').replaceAll(']', '\\]');
}
