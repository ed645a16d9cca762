import { testShops } from './test-shops.ts';

testShops('webkit');
