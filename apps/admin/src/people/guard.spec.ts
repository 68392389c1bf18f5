import { randomUUID } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import { ok } from '@vuka/domain';
import { type Actor, newCallContext } from '@vuka/http';
import { systemClock } from '@vuka/runtime';

import type { ServiceCalls } from '../service-calls.js';
import { guarded } from './guard.js';
import type { Operator } from './operator.store.js';
import type { People } from './people.js';

const operator = (name: string, madeBy: string | null): Operator => ({
  name,
  role: 'admin',
  credentialSha256: null,
  madeBy,
  madeAt: new Date(0),
  removedAt: null,
  removedBy: null,
});
const people = {
  operators: { all: async () => [operator('Ann', null), operator('Ben', null), operator('Cyd', 'Ann')] },
} as unknown as People;
/** Ann has proposed number 7, and Ben every other. */
const calls = {
  payments: { adjustment: async (id: number) => ({ proposed_by: id === 7 ? 'Ann' : 'Ben' }) },
} as unknown as ServiceCalls;

async function approves(name: string, act: object): Promise<boolean> {
  const operations = guarded('payments', { call: async () => ok('done') }, people, () => calls);
  const actor: Actor = { name, role: 'admin', approvedBy: null, operationId: randomUUID() };
  return (await operations.call('approveAdjustment', [act], actor, () => true, newCallContext({}, systemClock))).ok;
}

describe('a proposal', () => {
  it('is not approved by an account of who proposed it, in whatever form its number comes', async () => {
    const forms = [
      { adjustmentId: 7, reason: 'r' },
      {
        $object: [
          ['adjustmentId', 7],
          ['reason', 'r'],
        ],
      },
    ];
    for (const form of forms)
      expect([await approves('Ann', form), await approves('Cyd', form), await approves('Ben', form)]).toEqual([
        false,
        false,
        true,
      ]);
  });
});
