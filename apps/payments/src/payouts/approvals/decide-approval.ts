import { Inject, Injectable } from '@nestjs/common';
import type { ApprovalProvider, ApprovalReading, ProviderCallback } from '@vuka/payouts';
import type { Clock, Logger } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';

import { AttemptStore, DestinationVault, type KeptAttempt } from '../../transactions/index.js';
import { instructionOf } from '../calls/instruction-of.js';

/** Why a provider must not pay. */
export type ApprovalRefusal =
  /** Anybody may have asked. */
  | 'not_signed'
  /** No attempt of this provider has the id. */
  | 'unknown_id'
  /** Another amount, currency or recipient. */
  | 'differs'
  /** AttemptStore.approve says what. */
  | 'not_payable';

export type ApprovalDecision =
  | { readonly isApproved: true }
  | { readonly isApproved: false; readonly why: ApprovalRefusal; readonly detail: string };

/**
 * A provider asks before it pays. The committed attempt answers, and nothing else: it exists, is out, and the
 * question is about just what was instructed. A refusal of a signed question is an alarm: what the provider would pay
 * is not what we want paid.
 */
@Injectable()
export class DecideApproval {
  constructor(
    private readonly attempts: AttemptStore,
    private readonly vault: DestinationVault,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** `provider.approvalReply` says it in the provider's words. */
  async run(provider: ApprovalProvider, callback: ProviderCallback): Promise<ApprovalDecision> {
    const reading = await provider.decideApproval(callback);
    if (!reading.signed) {
      this.log.warn({ provider: provider.id, detail: reading.detail }, 'a question for approval that is not signed');
      return refused('not_signed', reading.detail);
    }
    const kept = await this.attempts.keptUnder(provider.id, reading.attemptIds);
    const decision = kept ? await this.decide(kept, reading) : refused('unknown_id', 'no attempt has this id');
    if (decision.isApproved) return decision;
    this.log.error(
      {
        code: 'approval_refused',
        provider: provider.id,
        why: decision.why,
        detail: decision.detail,
        ...(kept && { attempt_id: kept.providerReference, transaction_id: kept.transaction.details.id }),
      },
      'a provider asked whether to pay, and was told not to',
    );
    return decision;
  }

  private async decide(kept: KeptAttempt, reading: ApprovalReading): Promise<ApprovalDecision> {
    const { attemptNo, transaction } = kept;
    const { id } = transaction.details;
    const now = this.clock.now();
    const differs = reading.differenceFrom(instructionOf(kept, this.vault));
    const isApproved =
      differs === null && (await this.attempts.approve(id, attemptNo, reading.providerPaymentId ?? null, now));
    if (isApproved) return { isApproved };
    // It has what it asks about, so its record says more.
    await this.attempts.checkAtOnce(id, attemptNo, now);
    return differs === null ? refused('not_payable', `the attempt is ${kept.state}`) : refused('differs', differs);
  }
}

function refused(why: ApprovalRefusal, detail: string): ApprovalDecision {
  return { isApproved: false, why, detail };
}
