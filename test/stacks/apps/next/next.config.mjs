// The cache is inside another package, whose lockfile Next would take for the root.
export default { turbopack: { root: import.meta.dirname } };
