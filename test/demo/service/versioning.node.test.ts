import { afterAll, describe, expect, test } from 'vitest';
import { startService } from '../../tools/support/card-payment-service.ts';

// The chapter "Versioning" of the specification: each test is one of its sentences.

const service = startService();
afterAll(() => service.app.close());

describe('Versioning', () => {
  test('The paths shown carry no version segment', async () => {
    await service.app.ready();
    const paths = Object.keys(service.app.swagger().paths ?? {});
    expect(paths).toContain('/payments/card/{id}/authorize');
    expect(paths.filter((path) => !path.startsWith('/payments/card'))).toEqual([]);
  });
});
