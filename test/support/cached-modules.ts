import type { Plugin } from 'vite';

/**
 * Vite plugin: in a run, in which no file changes, the pages of the test files take modules from the
 * browser's cache. Vite would have the browser ask for each of them again.
 */
export const cachedModules = (): Plugin => ({
  name: 'cached modules',
  configureServer({ middlewares, config }) {
    const isWatching = config.server.watch !== null;
    if (isWatching) return;
    middlewares.use((_request, response, next) => {
      const setHeader = response.setHeader.bind(response);
      response.setHeader = (name, value) => {
        const isModule = name.toLowerCase() === 'cache-control' && value === 'no-cache';
        return setHeader(name, isModule ? 'max-age=3600' : value);
      };
      next();
    });
  },
});
