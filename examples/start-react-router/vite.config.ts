// vite.config.ts
import { reactRouter } from '@react-router/dev/vite';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [reactRouter()],
  optimizeDeps: { include: ['cardseal/pay'] }, // before the first visit, not during it
});
