/**
 * What comes of presses in the simulated page when only what is named happens: what goes out, and
 * what the shopper and the page read. The exploration says what must never happen, and these say
 * what must.
 */
import type { FormCode, Setting } from './acts.ts';
import { promisesHaveRun, Surroundings } from './surroundings.ts';

export interface Story {
  readonly what: string;
  setting?: Setting;
  /** By default, the form has got its key before anything happens. */
  isKeyThere?: boolean;
  /** What code of the page does, in this order, and when. Else it does nothing. */
  acts?: string[];
  /** What happens, in this order. */
  tasks: string[];
  /** What comes of it. If it names an event of a press, it names them all. */
  outcome: string[];
}

/** As a task: all that nobody has to cause happens, until nothing is under way. */
const GOES_ON = '...';
const BY_ITSELF = ['the key arrives', 'the encryption is done', 'timer', 'the page goes on'];

/** What comes of a story with this code. Throws if a task of the story cannot happen. */
export async function outcomeOf(
  code: FormCode,
  { setting = {}, isKeyThere = true, acts = [], tasks, outcome }: Story,
): Promise<string[]> {
  const wanted = [...acts];
  const pick = <Option extends string>(options: readonly Option[], when: string): Option => {
    const act = options.find((option) => `${when}: ${option}` === wanted[0]);
    if (act) wanted.shift();
    return act ?? options[0]!;
  };
  const page = new Surroundings(code, setting, { page: 9, shopper: 9 }, pick, isKeyThere);
  await promisesHaveRun(); // then the page has heard of its first key
  const heard = page.log.splice(0);
  check(heard.length === Number(isKeyThere), `the page has heard ${heard}`);

  const run = async (task: string) => {
    check(page.tasks().includes(task), `cannot happen: ${task}`);
    await page.runTask(task);
  };
  for (const task of tasks) {
    if (task !== GOES_ON) {
      await run(task);
      continue;
    }
    const next = () => BY_ITSELF.find((one) => page.tasks().includes(one));
    for (let one = next(); one; one = next()) await run(one);
  }
  check(wanted.length === 0, `has not happened: ${wanted}`);
  check(page.violations.length === 0, page.violations.join());
  const isEvent = (line: string) => line.startsWith('cardseal:');
  const areEventsTold = outcome.some(isEvent);
  return page.log.filter(
    (line) => !line.startsWith('the page, ') && (areEventsTold || !isEvent(line)),
  );
}

function check(holds: boolean, message: string): void {
  if (!holds) throw new Error(message);
}

export const STORIES: readonly Story[] = [
  {
    what: 'it is sent once, and after 30 s the same block may be sent again',
    tasks: ['presses Pay', '...', 'presses Pay', '30 s', 'presses Pay', '...'],
    outcome: [
      'cardseal:submit',
      'cardseal:encrypted',
      'a block of A under key 1 goes out by the browser',
      'cardseal:settled',
      'the shopper reads payment_under_way',
      'the fields are emptied',
      'the shopper reads no_answer',
      'the text goes',
      'cardseal:submit',
      'a block of A under key 1 goes out by the browser',
      'cardseal:settled',
    ],
  },
  {
    what: 'the shopper waits for a slow key',
    isKeyThere: false,
    tasks: ['presses Pay', '1 s', 'presses Pay', '...'],
    outcome: [
      'the shopper reads one_moment',
      'the shopper reads one_moment',
      'the page hears that a key is there',
      'a block of A under key 1 goes out by the browser',
    ],
  },
  {
    what: 'a key that fails is told to the page, or to the shopper who waits for it',
    isKeyThere: false,
    tasks: [
      ...['the key fails', 'presses Pay', '...', 'page: restart()', 'types A'],
      ...['presses Pay', 'the key fails', 'presses Pay', '...'],
    ],
    outcome: [
      'the page hears key_unavailable',
      'a block of A under key 1 goes out by the browser',
      'the fields are emptied',
      'the press fails: key_unavailable',
      'the text goes',
      'a block of A under key 2 goes out by the browser',
    ],
  },
  {
    what: 'in a frame, the next card begins when the block is sent',
    setting: { frame: true },
    tasks: ['presses Pay', '...', 'presses Pay', 'types B', 'presses Pay', '...'],
    outcome: [
      'a block of A under key 1 goes out by the browser',
      'the fields are emptied',
      'the page hears that a key is there',
      'the shopper reads what to correct',
      'the press fails: invalid_card',
      'the text goes',
      'a block of B under key 2 goes out by the browser',
      'the fields are emptied',
      'the page hears that a key is there',
    ],
  },
  {
    what: 'a button of the card whose handlers do nothing',
    setting: { cardButton: true },
    tasks: ['presses the card button', '...', 'presses the card button', '...'],
    outcome: ['the fields are emptied'], // they speak themselves
  },
  {
    what: 'a button of the card whose handler takes the data',
    setting: { cardButton: true },
    acts: ['click handler: FormData now'],
    tasks: ['presses the card button', '...', 'presses the card button', '...'],
    outcome: ['the fields are emptied', 'a block of A under key 1 goes out by a script'],
  },
  {
    what: 'a button of the card whose handler submits the form',
    setting: { cardButton: true },
    acts: ['click handler: requestSubmit() now'],
    tasks: ['presses the card button', '...', 'presses the card button', '...'],
    outcome: [
      'the fields are emptied',
      'a block of A under key 1 goes out by the browser',
      'the shopper reads payment_under_way',
    ],
  },
  {
    what: 'onEncrypted is called with the block, and again with the same at a retry',
    setting: { onEncrypted: true },
    tasks: ['presses Pay', '...', 'presses Pay', '...'],
    outcome: [
      'the fields are emptied',
      'onEncrypted: sends, and is done',
      'a block of A under key 1 goes out by onEncrypted',
      'onEncrypted: sends, and is done',
      'a block of A under key 1 goes out by onEncrypted',
    ],
  },
  {
    what: 'onEncrypted rejects',
    setting: { onEncrypted: true },
    acts: ['onEncrypted: rejects'],
    tasks: ['presses Pay', '...', 'presses Pay', '...'],
    outcome: [
      'the fields are emptied',
      'onEncrypted: rejects',
      'the shopper reads no_answer',
      'the text goes',
      'onEncrypted: sends, and is done',
      'a block of A under key 1 goes out by onEncrypted',
    ],
  },
  {
    what: 'onEncrypted takes more than 30 s',
    setting: { onEncrypted: true },
    acts: ['onEncrypted: sends, and is pending'],
    tasks: [
      'presses Pay',
      '...',
      'page: locks the fields',
      'presses Pay',
      '30 s',
      'onEncrypted goes on',
    ],
    outcome: [
      'the fields are emptied',
      'onEncrypted: sends, and is pending',
      'a block of A under key 1 goes out by onEncrypted',
      'the shopper reads payment_under_way',
      'the shopper reads no_answer',
      'the text goes',
    ],
  },
  {
    what: 'onEncrypted is done after a press that came when 30 s were over',
    setting: { onEncrypted: true },
    acts: ['onEncrypted: sends, and is pending'],
    tasks: ['presses Pay', '...', '30 s', 'presses Pay', 'onEncrypted goes on', '...'],
    outcome: [
      'the fields are emptied',
      'onEncrypted: sends, and is pending',
      'a block of A under key 1 goes out by onEncrypted',
      'the shopper reads no_answer',
      'the text goes',
      'onEncrypted: sends, and is done',
      'a block of A under key 1 goes out by onEncrypted',
    ],
  },
  {
    what: 'onEncrypted submits the form',
    setting: { onEncrypted: true },
    acts: ['onEncrypted: requestSubmit() at once'],
    tasks: ['presses Pay', '...', 'presses Pay', '30 s'],
    outcome: [
      'the fields are emptied',
      'onEncrypted: requestSubmit() at once',
      'a block of A under key 1 goes out by the browser',
      'the shopper reads payment_under_way',
      'the shopper reads no_answer',
    ],
  },
  {
    what: 'onEncrypted submits the form, and the shopper presses meanwhile',
    setting: { onEncrypted: true },
    acts: ['onEncrypted: requestSubmit() while pending'],
    tasks: [
      'presses Pay',
      '...',
      'presses a button that submits by script',
      'onEncrypted goes on',
      '...',
    ],
    outcome: [
      'the fields are emptied',
      'onEncrypted: requestSubmit() while pending',
      'the shopper reads payment_under_way',
      'a block of A under key 1 goes out by the browser',
    ],
  },
  {
    what: 'onEncrypted submits the form, and the shopper has cancelled',
    setting: { onEncrypted: true },
    acts: ['onEncrypted: requestSubmit() while pending'],
    tasks: ['presses Pay', '...', 'presses Cancel', 'onEncrypted goes on', '...'],
    outcome: [
      'the fields are emptied',
      'onEncrypted: requestSubmit() while pending',
      'the shopper reads press_again',
    ],
  },
  {
    what: 'onEncrypted submits the form to a wrong destination',
    setting: { onEncrypted: true },
    acts: ['onEncrypted: requestSubmit() while pending'],
    tasks: ['presses Pay', '...', 'page: breaks the action', 'onEncrypted goes on', '...'],
    outcome: [
      'the fields are emptied',
      'onEncrypted: requestSubmit() while pending',
      'the press fails: invalid_form, while a block is on its way',
    ],
  },
  {
    what: 'onEncrypted submits the form after 30 s, in vain for the text, but in time to be sent',
    setting: { onEncrypted: true },
    acts: ['onEncrypted: requestSubmit() while pending'],
    tasks: ['presses Pay', '...', '30 s', 'onEncrypted goes on', '...'],
    outcome: [
      'the fields are emptied',
      'onEncrypted: requestSubmit() while pending',
      'the shopper reads no_answer',
      'the text goes',
      'a block of A under key 1 goes out by the browser',
    ],
  },
  {
    what: 'a script presses after 30 s in a form that the browser cannot send: onEncrypted is called',
    setting: { onEncrypted: true },
    acts: ['onEncrypted: sends, and is pending'],
    tasks: [
      ...['presses Pay', '...', '30 s', 'page: breaks the action', 'page: requestSubmit()'],
      '...',
    ],
    outcome: [
      'the fields are emptied',
      'onEncrypted: sends, and is pending',
      'a block of A under key 1 goes out by onEncrypted',
      'the shopper reads no_answer',
      'the text goes',
      'onEncrypted: sends, and is done',
      'a block of A under key 1 goes out by onEncrypted',
    ],
  },
  {
    what: 'onEncrypted submits the form when it is done',
    setting: { onEncrypted: true },
    acts: ['onEncrypted: requestSubmit() when done'],
    tasks: ['presses Pay', '...'],
    outcome: [
      'the fields are emptied',
      'onEncrypted: requestSubmit() when done',
      'a block of A under key 1 goes out by the browser',
    ],
  },
  {
    what: 'onEncrypted resets the form',
    setting: { onEncrypted: true },
    acts: ['onEncrypted: form.reset(), and is pending'],
    tasks: ['presses Pay', '...', 'onEncrypted goes on', '...'],
    outcome: [
      'the fields are emptied',
      'onEncrypted: form.reset(), and is pending',
      'the page hears that a key is there',
    ],
  },
  {
    what: 'encrypt() gives the block to the page',
    setting: { encrypt: true },
    isKeyThere: false,
    tasks: ['page: encrypt()', 'page: encrypt()', 'chooses another way', '...'],
    outcome: [
      'the shopper reads one_moment',
      'the page hears that a key is there',
      'the fields are emptied',
      'a block of A under key 1 goes out by encrypt()',
    ],
  },
  {
    what: 'the shopper cancels while a block is made',
    isKeyThere: false,
    tasks: ['presses Pay', 'presses Cancel', '...', 'presses Pay', '...'],
    outcome: [
      'the shopper reads press_again',
      'the page hears that a key is there',
      'the text goes',
      'a block of A under key 1 goes out by the browser',
    ],
  },
  {
    what: 'the page ends the binding while a block is made',
    isKeyThere: false,
    tasks: ['presses Pay', 'page: unbind()'],
    outcome: ['the shopper reads press_again'],
  },
  {
    what: 'the page ends the binding while nothing is under way',
    tasks: ['page: unbind()'],
    outcome: [],
  },
  {
    what: 'the page takes the form out, and ends the binding',
    isKeyThere: false,
    tasks: ['presses Pay', 'page: takes the form out', 'page: unbind()'],
    outcome: [],
  },
  {
    what: 'the page takes the form out before the press is repeated',
    tasks: ['presses Pay', 'page: takes the form out', '...'],
    outcome: ['the shopper reads press_again'],
  },
  {
    what: 'a block that may have been sent is sent again, however old it is',
    acts: ['submit listener: cancels'],
    tasks: ['presses Pay', '...', 'the key gets old', 'presses Pay', '...'],
    outcome: ['a submit listener cancels', 'a block of A under key 1 goes out by the browser'],
  },
  {
    what: 'a card that is changed takes its block out, until it is there again at a press',
    acts: ['submit listener: cancels'],
    tasks: [
      ...['presses Pay', '...', 'page: serialize()', 'types B', 'page: serialize()'],
      ...['types A', 'presses Pay', '...'],
    ],
    outcome: [
      'a submit listener cancels',
      'a block of A under key 1 goes out by serialize()',
      'a block of A under key 1 goes out by the browser',
    ],
  },
  {
    what: 'a block that a script has collected is sent again, however old it is',
    tasks: [
      ...['presses Pay', 'the encryption is done', 'page: FormData', 'chooses another way'],
      ...['timer', 'chooses another way', 'the key gets old', 'presses Pay', '...'],
    ],
    outcome: [
      'a block of A under key 1 goes out by a script',
      'the shopper reads press_again',
      'the text goes',
      'a block of A under key 1 goes out by the browser',
    ],
  },
  {
    what: 'a block that was never sent is not used when it is too old',
    tasks: [
      ...['presses Pay', 'the encryption is done', 'chooses another way', 'timer'],
      ...['chooses another way', 'the key gets old', 'presses Pay', '...'],
    ],
    outcome: [
      'the shopper reads press_again',
      'the text goes',
      'a block of A under key 2 goes out by the browser',
    ],
  },
  {
    what: 'a block that was never sent is used by the next press',
    tasks: [
      ...['presses Pay', 'the encryption is done', 'chooses another way', 'timer'],
      ...['chooses another way', 'presses Pay', '...'],
    ],
    outcome: [
      'the shopper reads press_again',
      'the text goes',
      'a block of A under key 1 goes out by the browser',
    ],
  },
  {
    what: 'the encryption fails',
    tasks: ['presses Pay', 'the encryption fails', 'presses Pay', '...'],
    outcome: [
      'the press fails: key_unavailable',
      'the text goes',
      'a block of A under key 2 goes out by the browser',
    ],
  },
  {
    what: 'a listener of cardseal:error presses again',
    acts: ['cardseal:error: requestSubmit()'],
    tasks: ['presses Pay', 'the encryption fails', '...'],
    outcome: [
      'the press fails: key_unavailable',
      'the text goes',
      'a block of A under key 2 goes out by the browser',
    ],
  },
  {
    what: 'a key that has encrypted a card is used up, also if the press was ended',
    tasks: ['presses Pay', 'presses Cancel', 'the encryption is done', 'presses Pay', '...'],
    outcome: [
      'the shopper reads press_again',
      'the text goes',
      'a block of A under key 2 goes out by the browser',
    ],
  },
  {
    what: 'the destination is wrong',
    tasks: ['page: breaks the action', 'presses Pay', '...'],
    outcome: ['cardseal:submit', 'cardseal:settled', 'the press fails: invalid_form'],
  },
  {
    what: 'the shopper comes back to the page',
    tasks: ['leaves the page', 'the page comes back', '...'],
    outcome: ['the fields are emptied', 'the page hears that a key is there'],
  },
  {
    what: 'the shopper comes back to a page that has replaced the form',
    tasks: ['page: takes the form out', 'leaves the page', 'the page comes back', '...'],
    outcome: ['the fields are emptied'],
  },
  {
    what: 'the shopper stays when the page asks whether to leave: the next press sends the same block',
    tasks: ['presses Pay', '...', 'stays when the page asks', 'presses Pay', '...'],
    outcome: [
      'a block of A under key 1 goes out by the browser',
      'a block of A under key 1 goes out by the browser',
    ],
  },
  {
    what: 'a reset begins another card',
    tasks: ['page: form.reset()', '...', 'presses Pay', 'types B', 'presses Pay', '...'],
    outcome: [
      'the shopper reads what to correct',
      'the press fails: invalid_card',
      'the text goes',
      'a block of B under key 1 goes out by the browser',
    ],
  },
  {
    what: 'a reset after a block that is on its way asks for another key',
    acts: ['submit listener: form.reset()'],
    tasks: ['presses Pay', '...'],
    outcome: [
      'a block of A under key 1 goes out by the browser',
      'the page hears that a key is there',
    ],
  },
  {
    what: 'a submit that a listener makes by script counts for nothing',
    acts: ['submit listener: dispatches a synthetic submit', 'submit listener: cancels'],
    tasks: ['presses Pay', '...', 'presses Pay'],
    outcome: [
      'a submit listener cancels',
      'a block of A under key 1 goes out by the browser',
      'the shopper reads payment_under_way',
    ],
  },
  {
    what: 'a listener of cardseal:submit chooses another way to pay',
    acts: ['cardseal:submit: another way to pay'],
    tasks: ['presses Pay', '...'],
    outcome: ['the shopper reads press_again'],
  },
  {
    // Changed in both: the gate asked how the fields look, and such a page could never be paid at.
    what: 'a listener of cardseal:submit locks the fields before the block passes',
    acts: ['submit listener: cancels', 'cardseal:submit: locks the fields'],
    tasks: ['presses Pay', '...', 'presses Pay', '...'],
    outcome: ['a submit listener cancels', 'a block of A under key 1 goes out by the browser'],
  },
  {
    what: 'a listener of cardseal:encrypted locks the fields before onEncrypted is called',
    setting: { onEncrypted: true },
    acts: ['cardseal:encrypted: locks the fields'],
    tasks: ['presses Pay', '...'],
    outcome: [
      'the fields are emptied',
      'onEncrypted: sends, and is done',
      'a block of A under key 1 goes out by onEncrypted',
    ],
  },
  {
    what: 'the shopper chooses another way before onEncrypted is called',
    setting: { onEncrypted: true },
    tasks: ['presses Pay', 'the encryption is done', 'chooses another way', '...'],
    outcome: ['the shopper reads press_again'],
  },
  {
    what: 'a listener of cardseal:submit calls restart()',
    acts: ['cardseal:submit: restart()'],
    tasks: ['presses Pay', '...'],
    outcome: ['the fields are emptied', 'the page hears that a key is there'],
  },
  {
    what: 'restart() as the fields are emptied for a card button: its handlers do not run',
    setting: { cardButton: true },
    acts: ['as fields are emptied: restart()'],
    tasks: ['presses the card button', '...'],
    outcome: [
      'the fields are emptied',
      'the shopper reads press_again',
      'the page hears that a key is there',
    ],
  },
  {
    what: 'restart() as the fields are emptied for onEncrypted: it is not called',
    setting: { onEncrypted: true },
    acts: ['as fields are emptied: restart()'],
    tasks: ['presses Pay', '...'],
    outcome: ['the fields are emptied', 'the page hears that a key is there'],
  },
  {
    what: 'restart() in `when`, which is asked again before onEncrypted is called',
    setting: { onEncrypted: true },
    tasks: ['presses Pay', 'the encryption is done', '...'],
    acts: ['cardseal:encrypted: nothing', 'when: restart()'],
    outcome: ['the fields are emptied', 'the page hears that a key is there'],
  },
  {
    what: 'restart() as the fields are emptied after 30 s: no text is about the payment before',
    acts: ['as fields are emptied: restart()'],
    tasks: ['presses Pay', '...', '30 s', '...'],
    outcome: [
      'a block of A under key 1 goes out by the browser',
      'the fields are emptied',
      'the page hears that a key is there',
    ],
  },
  {
    what: 'the 30 s of a payment that is over do not end the next one',
    tasks: ['presses Pay', '...', 'page: restart()', 'types A', 'presses Pay', '30 s', '...'],
    outcome: [
      'a block of A under key 1 goes out by the browser',
      'the fields are emptied',
      'the page hears that a key is there',
      'a block of A under key 2 goes out by the browser',
    ],
  },
  {
    what: 'onEncrypted resets the form, and a listener of cardseal:settled submits it',
    setting: { onEncrypted: true },
    acts: ['onEncrypted: form.reset(), and is pending', 'cardseal:settled: requestSubmit()'],
    tasks: ['presses Pay', '...', 'onEncrypted goes on', '...'],
    outcome: [
      'the fields are emptied',
      'onEncrypted: form.reset(), and is pending',
      'a block of A under key 1 goes out by the browser',
      'the page hears that a key is there',
    ],
  },
  {
    what: 'onEncrypted rejects, and a listener of cardseal:settled submits the form',
    setting: { onEncrypted: true },
    acts: ['onEncrypted: rejects', 'cardseal:settled: requestSubmit()'],
    tasks: ['presses Pay', '...'],
    outcome: [
      'the fields are emptied',
      'onEncrypted: rejects',
      'onEncrypted: sends, and is done', // that submit is a press like any other
      'a block of A under key 1 goes out by onEncrypted',
    ],
  },
  {
    what: 'onEncrypted rejects, and a listener of cardseal:settled begins anew: no text is about it',
    setting: { onEncrypted: true },
    acts: ['onEncrypted: rejects', 'cardseal:settled: restart()'],
    tasks: ['presses Pay', '...'],
    outcome: [
      'the fields are emptied',
      'onEncrypted: rejects',
      'the page hears that a key is there',
    ],
  },
  {
    what: 'onEncrypted is done after a reset, and a listener of cardseal:settled ends the binding',
    setting: { onEncrypted: true },
    acts: ['onEncrypted: form.reset(), and is pending', 'cardseal:settled: unbind()'],
    tasks: ['presses Pay', '...', 'onEncrypted goes on'],
    outcome: ['the fields are emptied', 'onEncrypted: form.reset(), and is pending'],
  },
  {
    what: 'the encryption fails, and a listener of cardseal:settled ends the binding',
    acts: ['cardseal:settled: unbind()'],
    tasks: ['presses Pay', 'the encryption fails'],
    outcome: [],
  },
  {
    what: 'encrypt() after Cancel, while onEncrypted works: the payment is under way',
    setting: { onEncrypted: true, encrypt: true },
    acts: ['onEncrypted: sends, and is pending'],
    tasks: ['presses Pay', '...', 'presses Cancel', 'page: encrypt()'],
    outcome: [
      'the fields are emptied',
      'onEncrypted: sends, and is pending',
      'a block of A under key 1 goes out by onEncrypted',
      'the shopper reads payment_under_way',
    ],
  },
  {
    what: 'a text to wait for the block goes when onEncrypted has it',
    setting: { onEncrypted: true },
    acts: ['onEncrypted: sends, and is pending'],
    tasks: ['presses Pay', '1 s', '...'],
    outcome: [
      'the shopper reads one_moment',
      'the fields are emptied',
      'onEncrypted: sends, and is pending',
      'a block of A under key 1 goes out by onEncrypted',
    ],
  },
  {
    what: 'a submit that is cancelled is no answer to a card button before',
    setting: { cardButton: true },
    acts: ['submit listener: cancels'],
    tasks: ['presses the card button', '...', 'presses Pay', '...'],
    outcome: ['the fields are emptied', 'a submit listener cancels'],
  },
  {
    what: 'a card button that a script clicks is a press of its own, also when it has the block',
    setting: { cardButton: true },
    acts: ['click handler: FormData now', 'click handler: FormData now'],
    tasks: ['presses the card button', '...', 'page: clicks the card button', '...'],
    outcome: [
      'cardseal:submit',
      'cardseal:encrypted',
      'the fields are emptied',
      'a block of A under key 1 goes out by a script',
      'cardseal:settled',
      'cardseal:submit',
      'a block of A under key 1 goes out by a script',
      'cardseal:settled',
    ],
  },
  {
    what: 'a card that is typed before the timer that settles a click is paid with',
    setting: { cardButton: true },
    acts: [
      'click handler: FormData now',
      'click handler: FormData now',
      'click handler: FormData now',
    ],
    tasks: [
      ...['presses the card button', '...', 'presses the card button', 'types B', '...'],
      ...['presses the card button', '...'],
    ],
    outcome: [
      'the fields are emptied',
      'a block of A under key 1 goes out by a script',
      'a block of A under key 1 goes out by a script',
      'the fields are emptied',
      'a block of B under key 2 goes out by a script',
    ],
  },
  {
    what: 'a press that passes takes its block along, although a listener chooses another way',
    acts: ['submit listener: another way to pay'],
    tasks: ['presses Pay', '...'],
    outcome: ['a block of A under key 1 goes out by the browser'],
  },
  {
    what: 'locked fields do not take the block out of the data of the form',
    acts: ['submit listener: cancels'],
    tasks: ['presses Pay', '...', 'page: locks the fields', 'page: FormData'],
    outcome: ['a submit listener cancels', 'a block of A under key 1 goes out by a script'],
  },
  {
    what: 'a reset takes the block out at once',
    acts: ['submit listener: cancels'],
    tasks: ['presses Pay', '...', 'page: form.reset()', 'page: FormData', '...'],
    outcome: ['a submit listener cancels', 'the page hears that a key is there'],
  },
  {
    what: 'encrypt() while a press passes', // changed: it was told that the payment is under way
    setting: { encrypt: true },
    acts: ['submit listener: encrypt()'],
    tasks: ['presses Pay', '...'],
    outcome: [
      'the fields are emptied',
      'a block of A under key 1 goes out by the browser',
      'a block of A under key 1 goes out by encrypt()',
    ],
  },
  {
    what: 'encrypt() while a press passes, in a page that fills the fields again',
    setting: { encrypt: true },
    acts: ['submit listener: encrypt()', 'as fields are emptied: writes it back'],
    tasks: ['presses Pay', '...'],
    outcome: [
      'the fields are emptied',
      'a block of A under key 1 goes out by the browser',
      'a block of A under key 1 goes out by encrypt()',
    ],
  },
  {
    what: 'encrypt() as soon as the page has cancelled a submit',
    setting: { encrypt: true },
    acts: ['submit listener: cancels', 'submit listener: cancels'],
    tasks: ['presses Pay', '...', 'page: requestSubmit()', 'page: encrypt()', '...'],
    outcome: [
      'a submit listener cancels',
      'a submit listener cancels',
      'the fields are emptied',
      'a block of A under key 1 goes out by encrypt()',
    ],
  },
  {
    what: 'a card that is encrypted after its press has ended leaves nothing',
    tasks: ['presses Pay', 'presses Cancel', 'the encryption is done', 'page: form.reset()', '...'],
    outcome: ['the shopper reads press_again', 'the text goes'],
  },
  {
    what: 'a name is refused after its press has ended',
    tasks: ['presses Pay', 'presses Cancel', 'the name is refused', '...'],
    outcome: ['the shopper reads press_again'],
  },
  {
    what: 'a name is refused',
    tasks: ['presses Pay', 'the name is refused', '...'],
    outcome: ['the shopper reads what to correct', 'the press fails: invalid_card'],
  },
];
