import type { DepositDifference } from '@vuka/domain';
import { AdminRefusedError } from '@vuka/http';

import type { ServiceCalls } from '../service-calls.js';

/** What became of the freeze, for each partner. */
export type Frozen = ReadonlyMap<number, 'frozen' | 'was_frozen' | 'not_frozen'>;

/**
 * Value that the ledger credits and no deposit of offramp is behind: its partner pays out no more until a person has
 * looked. One commit for each partner; a freeze that stands keeps its reason. Outages are thrown.
 */
export async function freezeUnbacked(
  payments: Pick<ServiceCalls['payments'], 'freeze'>,
  differences: readonly DepositDifference[],
  by: string,
): Promise<Frozen> {
  const frozen = new Map<number, 'frozen' | 'was_frozen' | 'not_frozen'>();
  for (const { unbackedOf, deposit_id } of differences) {
    if (unbackedOf === undefined || frozen.has(unbackedOf)) continue;
    const reason = `The ledger has deposit ${deposit_id}, and offramp has none`;
    try {
      const answer = await payments.freeze({ partnerId: unbackedOf, reason, by });
      frozen.set(unbackedOf, answer.ok ? 'frozen' : 'was_frozen');
    } catch (error) {
      // Whoever may read need not be allowed to freeze.
      if (!(error instanceof AdminRefusedError)) throw error;
      frozen.set(unbackedOf, 'not_frozen');
    }
  }
  return frozen;
}
