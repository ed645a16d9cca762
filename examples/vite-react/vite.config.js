import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const shop = process.env.SHOP;

export default defineConfig({
  plugins: [react()],
  server: { proxy: shop ? { '/card-key': shop, '/pay': shop } : {} },
});
