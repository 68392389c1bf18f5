import type { FailureCode } from '@vuka/domain';

import type { ProviderAnswer } from './payout-provider.js';

/** What a code means for a payout (docs/decisions/0023). A code that is in no table of its adapter proves nothing. */
export type OutcomeClass = 'final_failure' | 'config' | 'float' | 'retry_later' | 'unspecified' | 'unknown';

export interface CodeRow {
  readonly cls: OutcomeClass;
  /** How a partner is told where it is not paid. */
  readonly failure: FailureCode;
  /** The reason is the provider's or ours, so another provider may pay under a new attempt. */
  readonly routeLeft: boolean;
  readonly source: string;
}

/** undefined: in no table. */
export function rowOf(table: Readonly<Record<string, CodeRow>>, code: string | undefined): CodeRow | undefined {
  return code !== undefined && Object.hasOwn(table, code) ? table[code] : undefined;
}

/** Of a payout that was accepted. */
export function notPaidBy({
  cls,
  failure,
  routeLeft,
}: CodeRow): Pick<Extract<ProviderAnswer, { outcome: 'not_paid' }>, 'code' | 'routeLeft' | 'ourFault'> {
  return { code: failure, routeLeft, ...((cls === 'float' || cls === 'config') && { ourFault: cls }) };
}
