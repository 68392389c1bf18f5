import { Inject, Injectable } from '@nestjs/common';
import {
  accountName,
  encodeMinor,
  fail,
  formatMoney,
  ok,
  postingLegs,
  type PostingName,
  type Problem,
  type Result,
  faultOfWord,
  nameOf,
} from '@vuka/domain';
import { recordAuditEntry, Database, type Queryable, type Transaction } from '@vuka/persistence';
import { type Clock, maskText, uuidv7 } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { type PaymentCommit, CommitWriter, referenceOf } from '../commit/index.js';
import { amountProposed, answerTo, whyOver } from '../controls/index.js';
import { AdjustmentStore, type AdjustmentDirection, type KeptAdjustment } from './adjustment.store.js';

export interface AdjustmentProposal {
  readonly partnerId: number;
  readonly currency: string;
  readonly direction: AdjustmentDirection;
  /** A decimal of the currency, above 0: `1500.00`. */
  readonly amount: string;
  readonly reason: string;
  readonly by: string;
}

export interface AdjustmentWord {
  readonly adjustmentId: number;
  readonly reason: string;
  readonly by: string;
}

const NOUN = 'Adjustment';
/** Open proposals per partner. */
const MOST_OPEN = 100;

const POSTING_OF = { fund: 'wallet_topped_up', debit: 'wallet_debited' } as const satisfies Record<
  AdjustmentDirection,
  PostingName
>;

/**
 * See docs/engineers/money-controls.md, "Funding by people". Posting, approval and audit entry are one commit.
 * Errors: not_found, invalid_request, amount_out_of_range, unsupported_currency, forbidden (same person twice),
 * insufficient_balance (the proposal stays open).
 */
@Injectable()
export class AdjustWallet {
  constructor(
    private readonly db: Database,
    private readonly writer: CommitWriter,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async propose({
    partnerId,
    currency,
    direction,
    amount: sent,
    reason,
    by,
  }: AdjustmentProposal): Promise<Result<KeptAdjustment, Problem>> {
    const said = faultOf(by, reason);
    if (said) return said;
    const amount = amountProposed(currency, sent);
    if (!amount.ok) return amount;
    return this.db.inTransaction(async (tx) => {
      const store = new AdjustmentStore(tx);
      if (direction === 'debit' && !(await hasWallet(tx, partnerId, currency)))
        return fail({ code: 'not_found', message: `Partner ${partnerId} has no ${currency} wallet` });
      if ((await store.openOf(partnerId)) >= MOST_OPEN)
        return fail({
          code: 'invalid_request',
          message: `${MOST_OPEN} adjustments of partner ${partnerId} wait for approval already. Approve or withdraw them first`,
        });
      const at = this.clock.now();
      const made = await store.propose({
        partnerId,
        direction,
        amount: amount.value,
        reason: maskText(reason.trim()),
        by: nameOf(by),
        at,
      });
      await this.record(tx, 'adjustment.proposed', made, { by, reason, at });
      return ok(made);
    });
  }

  /** A repeat by the approver gets the current status. */
  async approve({ adjustmentId, reason, by }: AdjustmentWord): Promise<Result<KeptAdjustment, Problem>> {
    const said = faultOf(by, reason);
    if (said) return said;
    const proposed = await new AdjustmentStore(this.db).byId(adjustmentId);
    if (!proposed) return fail({ code: 'not_found', message: `There is no adjustment ${adjustmentId}` });
    const answered = answerTo(NOUN, proposed, by);
    if (answered) return answered;
    const move = toCommit(proposed);
    await this.writer.openAccounts([move]);
    return this.db.inTransaction(
      async (tx) => {
        const store = new AdjustmentStore(tx);
        const locked = await store.lock(adjustmentId);
        const settled = answerTo(NOUN, locked, by);
        if (settled) return settled;
        const { outcome } = await this.writer.commitIn(tx, move);
        if (outcome === 'insufficient') return tooLittle(locked);
        if (outcome !== 'ok') throw new Error(`adjustment ${adjustmentId} was answered ${outcome}`);
        const at = this.clock.now();
        const approved = await store.approve(adjustmentId, nameOf(by), at);
        await this.record(tx, 'adjustment.approved', approved, {
          by: approved.proposedBy,
          approvedBy: nameOf(by),
          reason,
          at,
        });
        return ok(approved);
      },
      { retries: 2 },
    );
  }

  /** Anybody may withdraw an open proposal. */
  async withdraw({ adjustmentId, reason, by }: AdjustmentWord): Promise<Result<KeptAdjustment, Problem>> {
    const said = faultOf(by, reason);
    if (said) return said;
    return this.db.inTransaction(async (tx) => {
      const store = new AdjustmentStore(tx);
      const locked = (await store.byId(adjustmentId)) && (await store.lock(adjustmentId));
      if (!locked) return fail({ code: 'not_found', message: `There is no adjustment ${adjustmentId}` });
      const over = whyOver(NOUN, locked);
      if (over) return over;
      const at = this.clock.now();
      const withdrawn = await store.withdraw(adjustmentId, { by: nameOf(by), why: maskText(reason.trim()), at });
      await this.record(tx, 'adjustment.withdrawn', withdrawn, { by, reason, at });
      return ok(withdrawn);
    });
  }

  private record(
    tx: Transaction,
    act: string,
    { id, partnerId, direction, amount }: KeptAdjustment,
    word: { by: string; reason: string; approvedBy?: string; at: Date },
  ): Promise<void> {
    const { by, reason, approvedBy = null, at } = word;
    return recordAuditEntry(tx, {
      by: nameOf(by),
      act,
      partnerId,
      subject: `adjustment ${id}`,
      reason: maskText(reason.trim()),
      approvedBy,
      at,
      details: { direction, amount_minor: encodeMinor(amount), currency: amount.currency },
    });
  }
}

/** Its number identifies it in both directions. */
function toCommit({ id, partnerId, direction, amount }: KeptAdjustment): PaymentCommit {
  const kind = POSTING_OF[direction];
  const legs = postingLegs(kind, { partner: partnerId, amount });
  return {
    commitId: uuidv7(),
    transactionId: null,
    expectedSequence: 0,
    transitions: [],
    postings: [{ reference: referenceOf('wallet_topped_up', id), kind, legs }],
    outbox: [],
  };
}

function faultOf(by: string, reason: string): { ok: false; error: Problem } | null {
  const fault = faultOfWord({ by, reason });
  return fault === null ? null : fail({ code: 'invalid_request', message: fault });
}

function tooLittle({ id, amount }: KeptAdjustment): Result<never, Problem> {
  return fail({
    code: 'insufficient_balance',
    message: `The ${amount.currency} wallet has less than ${formatMoney(amount)}: adjustment ${id} stays a proposal`,
  });
}

async function hasWallet(db: Queryable, partnerId: number, currency: string): Promise<boolean> {
  return (await db.query('select from accounts where name = $1', [accountName.wallet(partnerId, currency)])).length > 0;
}
