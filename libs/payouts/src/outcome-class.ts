import type { FailureCode } from '@vuka/domain';

import type { ProviderAnswer } from './payout-provider.js';
import { MAX_TEXT, providerText } from './provider-text.js';

/** What a code means for a payout (docs/decisions/0023). A code that is in no table of its adapter proves nothing. */
export type OutcomeClass = 'final_failure' | 'config' | 'float' | 'retry_later' | 'unspecified' | 'unknown';

export interface CodeRow {
  readonly cls: OutcomeClass;
  /** How a partner is told where it is not paid. */
  readonly failure: FailureCode;
  /** The reason is the provider's or ours, so another provider may pay under a new attempt. */
  readonly routeLeft: boolean;
  /** Closed as published, which is no trouble of the provider. */
  readonly isPlanned?: true;
  readonly source: string;
}

/** undefined: in no table. */
export function rowOf(table: Readonly<Record<string, CodeRow>>, code: string | undefined): CodeRow | undefined {
  return code !== undefined && Object.hasOwn(table, code) ? table[code] : undefined;
}

type Deferred = Extract<ProviderAnswer, { outcome: 'deferred' }>;

export function deferred(reason: Deferred['reason'], detail: string): Deferred {
  return { outcome: 'deferred', reason, detail: providerText(detail, MAX_TEXT.detail) };
}

export function unknown(detail: string): ProviderAnswer {
  return { outcome: 'unknown', detail: providerText(detail, MAX_TEXT.detail) };
}

export function queryFailed(detail: string): ProviderAnswer {
  return { outcome: 'query_failed', detail: providerText(detail, MAX_TEXT.detail) };
}

/** Of a call that was turned down. Nothing was taken, where the row says so; undefined: no code that we know. */
export function turnedDownBy(row: CodeRow | undefined, detail: string): ProviderAnswer {
  switch (row?.cls) {
    case 'config':
    case 'float':
      return deferred(row.cls, detail);
    case 'retry_later':
      return { ...deferred('corridor_off', detail), ...(row.isPlanned === true && { isPlanned: true }) };
    case 'final_failure':
      return { outcome: 'not_paid', code: row.failure, routeLeft: row.routeLeft, detail };
    case 'unspecified':
    case 'unknown':
    case undefined:
      return unknown(detail);
  }
}

/** Of a payout that was accepted. */
export function notPaidBy({
  cls,
  failure,
  routeLeft,
}: CodeRow): Pick<Extract<ProviderAnswer, { outcome: 'not_paid' }>, 'code' | 'routeLeft' | 'ourFault'> {
  return { code: failure, routeLeft, ...((cls === 'float' || cls === 'config') && { ourFault: cls }) };
}
