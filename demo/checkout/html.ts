/** Markup. Only what {@link html} made, so that no text gets into a page without being escaped. */
export class Html {
  constructor(readonly markup: string) {}
}

/**
 * Makes markup of a template. What is put in is escaped, for text and for attributes in double
 * quotes; a list is joined.
 */
export function html(
  template: TemplateStringsArray,
  ...values: (string | number | Html | Html[] | undefined)[]
): Html {
  return new Html(template.map((text, i) => (i ? toMarkup(values[i - 1]) : '') + text).join(''));
}

function toMarkup(value: string | number | Html | Html[] | undefined): string {
  if (value instanceof Html) return value.markup;
  if (Array.isArray(value)) return value.map(toMarkup).join('');
  const text = String(value ?? '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
  return text.replaceAll('"', '&quot;').replaceAll("'", '&#39;');
}
