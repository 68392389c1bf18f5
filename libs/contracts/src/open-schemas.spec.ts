import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';

import {
  EVENTS,
  checkoutApi,
  adminApi,
  gatewayApi,
  notifierApi,
  offrampApi,
  paymentsApi,
  validationApi,
  type InternalApi,
} from './index.js';
import { strictObjects, type Schema } from './open-schemas.spec-support.js';

const APIS: readonly InternalApi[] = [
  checkoutApi,
  adminApi,
  gatewayApi,
  notifierApi,
  offrampApi,
  paymentsApi,
  validationApi,
];

const schemaOf = (type: z.ZodType): Schema => z.toJSONSchema(type, { io: 'input' }) as Schema;

const SAID = new Map<string, z.ZodType>([
  ...Object.entries(EVENTS).map(([name, { data }]): [string, z.ZodType] => [name, data]),
  ...APIS.flatMap(({ service, operations }) =>
    Object.entries(operations).flatMap(([name, { input, output }]): [string, z.ZodType][] => [
      [`input of ${service}.${name}`, input],
      [`output of ${service}.${name}`, output],
    ]),
  ),
]);

describe('what services say to each other', () => {
  // A newer writer may add members; an older reader must not fail on them.
  it.each([...SAID.keys()])('%s has no object that refuses what it does not know', (name) => {
    expect(strictObjects(schemaOf(SAID.get(name) as z.ZodType))).toEqual([]);
  });
});

describe('strict objects', () => {
  it('are found, also within lists and forms', () => {
    const strict = z.strictObject({ id: z.int() });
    expect(strictObjects(schemaOf(strict))).toEqual(['(whole): refuses unknown members']);
    expect(strictObjects(schemaOf(z.object({ rows: z.array(strict), by: z.union([strict, z.string()]) })))).toEqual([
      'rows[]: refuses unknown members',
      'by: refuses unknown members',
    ]);
  });
});
