import type { Plugin } from 'vite';

/** Vite plugin for watch mode: Vite by itself watches its root only, and sources stand outside. */
export const watchSources = (folders: string[]): Plugin => ({
  name: 'watch sources',
  configureServer({ watcher }) {
    watcher.add(folders);
  },
});
