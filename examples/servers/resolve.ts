// For staff: npx tsx resolve.ts ORDER INTENT committed (or authorized, or not_paid)
import type { Resolution } from 'cardseal/checkout';
import { checkout } from './shop.js';
import { closeStore } from './store.js';

const [order = '', intent = '', resolution] = process.argv.slice(2);
const { status } = await checkout.resolve(order, intent, resolution as Resolution);
console.log(`Order ${order}: ${status}`);
await closeStore();
