type Child = Node | string | undefined | false;

/**
 * An element made of its parts. Text is only ever text. `--x`: a custom property, by which the
 * stylesheet sizes it.
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, string | number> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('--')) made.style.setProperty(name, String(value));
    else made.setAttribute(name, String(value));
  }
  made.append(...children.filter((child) => child !== undefined && child !== false));
  return made;
}
