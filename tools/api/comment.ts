/** The doc comment of a declaration, in its parts. */
export interface Comment {
  /** Everything before the first tag, as Markdown. */
  text: string;
  params: { name: string; text: string }[];
  /** Empty if the comment does not say. */
  returns: string;
  /** One text for each `@throws`. */
  throws: string[];
  /** Code with its fences. */
  examples: string[];
}

/** @param source - A comment as it stands in the file. */
export function parseComment(source: string): Comment {
  const lines = source
    .replace(/^\/\*\*/, '')
    .replace(/\*\/$/, '')
    .split('\n')
    .map((line) =>
      line
        .replace(/^\s*\* ?/, '')
        .replaceAll('*\\/', '*/')
        .trimEnd(),
    );
  const [text = '', ...tags] = lines.join('\n').split(/^@(?=[a-z])/m);
  const comment: Comment = { text: text.trim(), params: [], returns: '', throws: [], examples: [] };
  for (const tag of tags) {
    const [, name, content = ''] = /^(\w+)\s*(.*)$/s.exec(tag.trim())!;
    readTag(comment, name!, content);
  }
  return comment;
}

function readTag(comment: Comment, tag: string, content: string): void {
  switch (tag) {
    case 'param': {
      const [, name = '', text = ''] = /^([\w.]+)\s*-\s*(.*)$/s.exec(content) ?? [];
      if (!name) throw new Error(`@param ${content}: write the name, " - " and the text`);
      comment.params.push({ name, text });
      return;
    }
    case 'returns':
      comment.returns = content;
      return;
    case 'throws':
      comment.throws.push(content);
      return;
    case 'example':
      comment.examples.push(content);
      return;
    default:
      throw new Error(`The reference knows no tag @${tag}`);
  }
}
