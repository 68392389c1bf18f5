import { Inject, Injectable } from '@nestjs/common';
import {
  encodeMinor,
  fail,
  ok,
  postingLegs,
  postingReference,
  type Problem,
  type Result,
  faultOfWord,
  nameOf,
} from '@vuka/domain';
import { recordAuditEntry, Database, type Transaction } from '@vuka/persistence';
import { type Clock, maskText, uuidv7 } from '@vuka/runtime';
import { CLOCK, PAYOUT_PROVIDERS } from '@vuka/service-host';

import { CommitWriter, type PaymentCommit, type Posting } from '../commit/index.js';
import { amountProposed, answerTo, whyOver } from '../controls/index.js';
import type { FloatMovement, MovementProposal } from './float-movement.js';
import { FloatMovementStore } from './float-movement.store.js';
import { partsOf, type ProviderFloats, tooLittleFor } from './movement-parts.js';

export interface MovementWord {
  readonly movementId: number;
  readonly reason: string;
  readonly by: string;
}

const NOUN = 'Float movement';
/** Open proposals. */
const MOST_OPEN = 200;

/**
 * Money between our bank, our wallets at providers and our own capital, and what providers charge, by two people
 * (docs/engineers/money-floats.md). Posting, approval and audit entry are one commit.
 * Errors: not_found, invalid_request, amount_out_of_range, unsupported_currency, forbidden (same person twice),
 * insufficient_balance (the ledger has not so much where it comes from; the proposal stays open).
 */
@Injectable()
export class MoveFloat {
  constructor(
    private readonly db: Database,
    private readonly writer: CommitWriter,
    @Inject(PAYOUT_PROVIDERS) private readonly providers: readonly ProviderFloats[],
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async propose(proposal: MovementProposal): Promise<Result<FloatMovement, Problem>> {
    const { kind, evidence, by } = proposal;
    const said = faultOf(by, evidence);
    if (said) return said;
    const amount = amountProposed(proposal.currency, proposal.amount);
    if (!amount.ok) return amount;
    const parts = await partsOf(this.db, this.providers, proposal);
    if (!parts.ok) return parts;
    return this.db.inTransaction(async (tx) => {
      const store = new FloatMovementStore(tx);
      if ((await store.openOnes()) >= MOST_OPEN)
        return fail({
          code: 'invalid_request',
          message: `${MOST_OPEN} float movements wait for approval: approve or withdraw them first`,
        });
      const at = this.clock.now();
      const made = await store.propose({
        kind,
        amount: amount.value,
        ...parts.value,
        evidence: maskText(evidence.trim()),
        proposedBy: nameOf(by),
        proposedAt: at,
      });
      await this.record(tx, 'float_movement.proposed', made, { by, reason: evidence, at });
      return ok(made);
    });
  }

  /** A repeat by the approver gets the current status. */
  async approve({ movementId, reason, by }: MovementWord): Promise<Result<FloatMovement, Problem>> {
    const said = faultOf(by, reason);
    if (said) return said;
    const proposed = await new FloatMovementStore(this.db).byId(movementId);
    if (!proposed) return unknown(movementId);
    const answered = answerTo(NOUN, proposed, by);
    if (answered) return answered;
    const posting = postingOf(proposed);
    const move = toCommit(posting);
    await this.writer.openAccounts([move]);
    return this.db.inTransaction(
      async (tx) => {
        const store = new FloatMovementStore(tx);
        const locked = await store.lock(movementId);
        const settled = answerTo(NOUN, locked, by);
        if (settled) return settled;
        const short = await tooLittleFor(tx, posting);
        if (short !== null)
          return fail({
            code: 'insufficient_balance',
            message: `${short}: float movement ${movementId} stays proposed`,
          });
        const { outcome } = await this.writer.commitIn(tx, move);
        if (outcome !== 'ok') throw new Error(`float movement ${movementId} was answered ${outcome}`);
        const at = this.clock.now();
        const approved = await store.approve(movementId, nameOf(by), at);
        await this.record(tx, 'float_movement.approved', approved, {
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
  async withdraw({ movementId, reason, by }: MovementWord): Promise<Result<FloatMovement, Problem>> {
    const said = faultOf(by, reason);
    if (said) return said;
    return this.db.inTransaction(async (tx) => {
      const store = new FloatMovementStore(tx);
      const locked = (await store.byId(movementId)) && (await store.lock(movementId));
      if (!locked) return unknown(movementId);
      const over = whyOver(NOUN, locked);
      if (over) return over;
      const at = this.clock.now();
      const withdrawn = await store.withdraw(movementId, { by: nameOf(by), why: maskText(reason.trim()), at });
      await this.record(tx, 'float_movement.withdrawn', withdrawn, { by, reason, at });
      return ok(withdrawn);
    });
  }

  private record(
    tx: Transaction,
    act: string,
    { id, kind, amount, provider, wallet, tokens }: FloatMovement,
    word: { by: string; reason: string; approvedBy?: string; at: Date },
  ): Promise<void> {
    const { by, reason, approvedBy = null, at } = word;
    return recordAuditEntry(tx, {
      by: nameOf(by),
      act,
      partnerId: null,
      subject: `float movement ${id}`,
      reason: maskText(reason.trim()),
      approvedBy,
      at,
      details: {
        kind,
        amount_minor: encodeMinor(amount),
        currency: amount.currency,
        ...(provider !== null && { provider, wallet }),
        ...(tokens !== null && { asset: tokens.currency, tokens_minor: encodeMinor(tokens) }),
      },
    });
  }
}

/** Its number identifies it, whatever its kind. */
function postingOf({ id, kind, amount, provider, wallet, tokens }: FloatMovement): Posting {
  const legs = postingLegs(kind, {
    amount,
    ...(provider !== null && { provider }),
    ...(wallet !== null && { wallet }),
    ...(tokens !== null && { chain: tokens.currency.split('@')[1] ?? '', sold: tokens, proceeds: amount }),
  });
  return { reference: postingReference('float-movement', id), kind, legs };
}

function toCommit(posting: Posting): PaymentCommit {
  return {
    commitId: uuidv7(),
    transactionId: null,
    expectedSequence: 0,
    transitions: [],
    postings: [posting],
    outbox: [],
  };
}

function faultOf(by: string, reason: string): { ok: false; error: Problem } | null {
  const fault = faultOfWord({ by, reason });
  return fault === null ? null : fail({ code: 'invalid_request', message: fault });
}

function unknown(id: number): { ok: false; error: Problem } {
  return fail({ code: 'not_found', message: `There is no float movement ${id}` });
}
