// astro.config.mjs
import node from '@astrojs/node';
import { defineConfig } from 'astro/config';

export default defineConfig({
  output: 'server',
  adapter: node({ mode: 'standalone' }),
  // Add your shop's: behind another name, the built server refuses every POST with 403.
  security: { allowedDomains: [{ hostname: 'localhost' }] },
});
