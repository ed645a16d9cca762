import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FAULTS } from '../../tools/planted/faults.ts';

const root = join(import.meta.dirname, '../..');

describe.each(Object.entries(FAULTS))('each fault of %s', (_, faults) => {
  test.each(faults.map((fault) => [fault.name, fault] as const))(
    'can be planted: %s',
    (_, { file, before, after }) => {
      expect(existsSync(join(root, file)), file).toBe(true);
      expect(readFileSync(join(root, file), 'utf8').split(before)).toHaveLength(2);
      expect(after).not.toBe(before);
    },
  );
});

test('there are at least 60, and no two have the same name', () => {
  const names = Object.values(FAULTS).flatMap((faults) => faults.map(({ name }) => name));
  expect(names.length).toBeGreaterThanOrEqual(60);
  expect(new Set(names).size).toBe(names.length);
});
