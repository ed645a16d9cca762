/** src/form/decide.ts with a planted change. */

import type { decide as Decide } from '../../../src/form/decide.ts';
import { load } from '../../../tools/planted/load.ts';
import type { Change } from '../../../tools/planted/plant.ts';

export const DECIDE = 'src/form/decide.ts';

export async function decideWithout({ at, plant }: Change): Promise<typeof Decide> {
  const changes = [{ file: DECIDE, at, plant }];
  return (await load(`export { decide } from './${DECIDE}';`, changes)).decide;
}
