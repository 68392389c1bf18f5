import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@vuka/runtime';
import { LOGGER } from '@vuka/service-host';

import type { ClaimToCheck, Check, Recorded } from '../claims/index.js';
import type { OrderCheck } from '../orders/index.js';
import { OfframpMetrics } from './offramp-metrics.js';

@Injectable()
export class ClaimReports {
  public constructor(
    private readonly metrics: OfframpMetrics,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  public checked({ chain }: ClaimToCheck, check: Check | OrderCheck, seconds: number): void {
    this.metrics.checked(chain, outcomeOf(check), seconds);
  }

  public recorded(claim: ClaimToCheck, recorded: Recorded): void {
    const facts = {
      transaction_id: claim.transactionId,
      order_number: claim.orderNumber ?? undefined,
      partner_id: claim.partnerId,
      chain: claim.chain,
    };
    if (recorded.kind === 'lapsed') this.log.warn(facts, 'a check took longer than its lease and is dropped');
    else if (recorded.kind !== 'again') {
      const reason = recorded.kind === 'unusable' ? recorded.reason : '';
      this.metrics.judged(claim.chain, recorded.kind, reason);
      this.log.info({ ...facts, verdict: recorded.kind, reason }, 'deposit judged');
    }
  }

  public failed({ transactionId, chain }: ClaimToCheck, error: unknown): void {
    this.log.error(
      { err: error, transaction_id: transactionId, chain },
      'a check of a claim failed; it is checked again',
    );
  }
}

function outcomeOf(check: Check | OrderCheck): string {
  if (check.kind !== 'wait') return check.kind;
  if (check.exposed) return 'exposed';
  return check.seen === false || check.seen === null ? 'wait' : 'seen';
}
