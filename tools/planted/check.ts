import { type Fault, WHY } from './fault.ts';

const safety = { tests: ['chromium check/safety'], isBuilt: true } as const;
const leaks = { tests: ['chromium check/clear-text'], isBuilt: true } as const;
const search = { tests: ['node check/search'], isBuilt: true } as const;

export const CHECK: readonly Fault[] = [
  {
    name: 'the check runs on hosts below a named one',
    file: 'src/check/test-host.ts',
    at: 'isTestHost.includes()',
    plant: { gives: 'hostsIn(named).some((it) => host.endsWith(it))' },
    breaks: 'a merchant who names shop.example for a test has it run on the live www.shop.example',
    why: WHY.value,
    ...search,
  },
  {
    name: 'a real card beside the test card',
    file: 'src/check/typed-card.ts',
    at: 'holdsOtherNumber.filter()',
    plant: { gives: '[]' },
    breaks: 'the check goes on while a real card stands in a field that it does not know',
    why: WHY.value,
    ...safety,
  },
  // Control check-sends-nothing
  {
    name: 'an address is shown as it is',
    file: 'src/check/clear-text.ts',
    at: 'cardFinder.shown',
    plant: { begins: 'if (text) return text;' },
    breaks: 'the number stands in the console, the list and the report that a test has printed',
    why: 'It is the control of a claim.',
    ...leaks,
  },
  {
    name: 'a number within a longer one is the card',
    file: 'src/check/search.ts',
    at: 'numberFinder.test()#2',
    plant: { gives: 'false' },
    breaks: 'a merchant is accused because of a tracking number',
    why: 'No mutant drops this operand alone.',
    ...search,
  },
  {
    name: 'a fault of the check stops the page',
    file: 'src/check/patch.ts',
    at: 'safely.catch',
    plant: { begins: 'throw error;' },
    breaks: 'a shop that works cannot be tested with the check in its page',
    why: WHY.error,
    ...safety,
  },
  {
    name: 'a watched constructor forgets the subclass',
    file: 'src/check/patch.ts',
    at: 'watch.construct.construct()',
    plant: { gives: 'Reflect.construct(target, args)' },
    breaks: 'with the check in the page, a class of the shop that extends WebSocket has no methods',
    why: 'No mutant drops an argument.',
    tests: ['chromium check/patch'],
  },
  {
    name: 'each key press is searched',
    file: 'src/check/index.ts',
    at: 'start',
    plant: { begins: "window.addEventListener('input', () => safely(() => reader.read()), true);" },
    breaks: 'typing is slow in a page with many fields',
    why: 'No mutant adds an element.',
    tests: ['e2e check/list'],
    isBuilt: true,
  },
  {
    name: 'the fifth card is not remembered',
    file: 'src/check/typed-card.ts',
    at: 'cardReader.read#1',
    plant: { begins: 'if (cards.length === REMEMBERED) return;' },
    breaks: 'a merchant who tries several test cards does not read that the next one leaks',
    why: 'No mutant remembers the first ones.',
    ...leaks,
  },
  {
    name: 'stacks of the page stay as the check needs them',
    file: 'src/check/call-site.ts',
    at: 'stack.set()#4',
    plant: 'nothing',
    breaks: 'error reports of the page are other ones with the check than without it',
    why: WHY.statement,
    ...safety,
  },
];
