/** The steps of a page that begins in an empty folder and ends with a paid order, as it has them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Steps {
  /** The commands that make the project, in their order. */
  commands: string[];
  /** The files of the project: a comment in the first line names each. */
  files: { path: string; text: string }[];
  /** The last commands: each runs in a terminal of its own, and the last one serves the page. */
  servers: string[];
}

/** @param page - The name of a file in docs/. */
export function readSteps(page: string): Steps {
  const document = readFileSync(join(import.meta.dirname, '../../docs', page), 'utf8');
  const blocks = Array.from(
    document.matchAll(/^```(\w+)\n(.*?)^```$/gms),
    ([, language, text]) => ({
      language,
      text: text!,
      path: /^(?:---\n)?(?:\/\/|#|<!--) (\S*\.\w+)/.exec(text!)?.[1],
    }),
  );
  const files = blocks.flatMap(({ path, text }) => (path ? [{ path, text }] : []));
  const rest = blocks.filter(({ path }) => !path);
  const other = rest.find(({ language }) => language !== 'sh');
  if (other) throw new Error(`${page} has a program without a name: ${other.text}`);
  const commands = rest.map(({ text }) => text.trim().split('\n'));
  const servers = commands.pop();
  if (!servers || !commands[0] || !files[0]) throw new Error(`${page} has no steps`);
  return { commands: commands.flat(), files, servers };
}
