import { checkStore } from 'cardseal/checkout';
import { store } from './store.js';

const findings = await checkStore(store);
console.log(findings.length > 0 ? findings.join('\n') : 'Nothing was found.');
process.exit(findings.length > 0 ? 1 : 0);
