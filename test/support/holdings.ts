/** Everything that a page holds and another script, page or visit could find. Runs in the page: it can use nothing from outside of itself. */
export function holdings() {
  const controls = [
    ...document.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select, textarea'),
  ];
  return {
    address: location.href,
    referrer: document.referrer,
    history: JSON.stringify(history.state),
    title: document.title,
    windowName: window.name,
    cookies: document.cookie,
    localStorage: JSON.stringify({ ...localStorage }),
    sessionStorage: JSON.stringify({ ...sessionStorage }),
    document: document.documentElement.outerHTML,
    controls: controls.map(({ value }) => value),
    requests: performance.getEntries().map(({ name }) => name),
    globals: Object.getOwnPropertyNames(window).flatMap((name) => {
      const value: unknown = Reflect.get(window, name);
      return typeof value === 'string' ? [value] : [];
    }),
    regExp: [RegExp.$1, Reflect.get(RegExp, 'input'), Reflect.get(RegExp, 'lastMatch')].map(String),
  };
}
