import { testShops } from './test-shops.ts';

testShops('chromium');
