import { encodeMinor } from '@vuka/domain';
import { encodeOutboxRow } from '@vuka/messaging';
import type { EventMacs } from '@vuka/persistence';

import type { Insertion, PaymentCommit, Posting } from './payment-commit.js';

export type CommitParameters = readonly [at: Date, batch: string];

type Row = Record<string, unknown>;

type RowSet =
  | 'lone'
  | 'expected'
  | 'deltas'
  | 'transactions'
  | 'patches'
  | 'transitions'
  | 'attempts'
  | 'attempt_patches'
  | 'holds'
  | 'hold_patches'
  | 'postings'
  | 'entries'
  | 'outbox'
  | 'incidents'
  | 'duplicate_payment'
  | 'duplicate_payment_patches'
  | 'settlements'
  | 'pays'
  | 'releases'
  | 'deposits'
  | 'deposit_patches'
  | 'marks'
  | 'refunds'
  | 'refund_patches'
  | 'velocity'
  | 'velocity_returns';

class BatchEncoder {
  private readonly rows: Partial<Record<RowSet, Row[]>> = {};
  private readonly accounts = new Map<string, number>();

  /** Numbers as text: otherwise jsonb makes a numeric of each, and PostgreSQL text again. */
  add(set: RowSet, row: Row): void {
    for (const name in row) if (typeof row[name] === 'number') row[name] = String(row[name]);
    (this.rows[set] ??= []).push(row);
  }

  account(name: string): number {
    const known = this.accounts.get(name);
    if (known !== undefined) return known;
    this.accounts.set(name, this.accounts.size);
    return this.accounts.size - 1;
  }

  /** commit_batch skips absent row sets. */
  parameters(at: Date, count: number): CommitParameters {
    const accounts = this.accounts.size > 0 ? { accounts: [...this.accounts.keys()].join('\n') } : {};
    return [at, JSON.stringify({ count, ...accounts, ...this.rows })];
  }
}

/** Throws on a malformed commit: a bug. */
export function encodeCommits(moves: readonly PaymentCommit[], at: Date, eventMacs?: EventMacs): CommitParameters {
  const batch = new BatchEncoder();
  moves.forEach((move, n) => {
    encodeIdentity(batch, move, n);
    encodeLife(batch, move, n);
    encodeAttempt(batch, move, n);
    encodeHold(batch, move, n);
    encodePostings(batch, move, n);
    encodeTroubles(batch, move, n);
    encodeDeposits(batch, move, n);
    encodeRefunds(batch, move, n);
    for (const event of move.outbox) {
      const { bucket, topic, key, sequence, event_id, envelope, macs } = encodeOutboxRow(event, eventMacs);
      batch.add('outbox', { n, bucket, topic, key, sequence, event_id, envelope, macs });
    }
  });
  return batch.parameters(at, moves.length);
}

function encodeIdentity(batch: BatchEncoder, move: PaymentCommit, n: number): void {
  const id = move.transactionId;
  if (id === null) {
    const [posting] = move.postings;
    // Without a posting, its mark or expected state must make a resend harmless.
    if (posting) batch.add('lone', { n, reference: posting.reference });
    else if (!move.refundPatches && !move.refunds && !move.depositPatches)
      throw new Error('a move without a transaction posts, or is of a refund or a deposit');
    return;
  }
  if (move.expectedSequence > 0) {
    batch.add('expected', { n, id, expected: move.expectedSequence, commit_id: move.commitId });
    return;
  }
  if (!move.insertion || !move.life) throw new Error('a first move inserts its transaction');
  const { details, destination, fingerprint, pay } = move.insertion;
  const { currency } = details.amount;
  batch.add('transactions', {
    n,
    id,
    partner_id: details.partnerId,
    transaction_code: details.transactionCode,
    fingerprint,
    operation: details.operation,
    currency,
    amount_minor: encodeMinor(details.amount),
    fee_minor: encodeMinor(details.fee, currency),
    service_fee_minor: encodeMinor(details.serviceFee, currency),
    callback_url: details.callbackUrl,
    request_id: details.requestId,
    traceparent: details.traceparent,
    state: move.life.state,
    sequence: move.life.sequence,
    commit_id: move.commitId,
    message: move.life.message,
    due_at: move.life.dueAt,
    kind: destination.kind,
    bank_code: destination.bankCode,
    bank_name: destination.bankName,
    mobile_network: destination.mobileNetwork,
    key_id: destination.keyId,
    sealed: destination.sealed,
    blind_index: destination.blindIndex,
  });
  encodeVelocity(batch, move.insertion, n);
  if (pay) {
    batch.add('pays', {
      n,
      id,
      partner_id: details.partnerId,
      chain: pay.chain,
      transaction_hash: pay.transactionHash,
      asset: pay.asset,
      quote_id: pay.quoteId,
      refund_address: pay.refundAddress,
    });
  }
}

function encodeVelocity(batch: BatchEncoder, { details, velocity = [] }: Insertion, n: number): void {
  const { id, partnerId, amount } = details;
  velocity.forEach(({ limit: { per, window, maxMinor, maxCount }, subject }, place) => {
    batch.add('velocity', {
      n,
      id,
      place,
      partner_id: partnerId,
      per,
      subject,
      currency: amount.currency,
      span: window,
      amount_minor: encodeMinor(amount),
      max_minor: maxMinor === null ? null : maxMinor.toString(),
      max_payouts: maxCount,
    });
  });
}

function encodeLife(batch: BatchEncoder, move: PaymentCommit, n: number): void {
  const id = move.transactionId;
  move.transitions.forEach((transition, step) => {
    batch.add('transitions', {
      n,
      id,
      sequence: move.expectedSequence + 1 + step,
      from_state: transition.from,
      to_state: transition.to,
      event: transition.event,
      attempt_no: transition.attemptNo,
      detail: transition.detail,
    });
  });
  if (!move.life || move.expectedSequence === 0) return;
  if (move.transitions.some(({ from, to }) => to === 'FAILED' && from !== 'FAILED'))
    batch.add('velocity_returns', { n, id });
  if (move.life.sequence !== move.expectedSequence + move.transitions.length) {
    throw new Error('the sequence of a move counts its transitions');
  }
  batch.add('patches', {
    n,
    id,
    state: move.life.state,
    sequence: move.life.sequence,
    public_sequence: move.life.publicSequence,
    attempt_no: move.life.attemptNo,
    paid_attempt_no: move.life.paidAttemptNo,
    commit_id: move.commitId,
    message: move.life.message,
    failure_code: move.life.failureCode,
    receipt_number: move.life.receiptNumber,
    public_name: move.life.publicName,
    due_at: move.life.dueAt,
    park_deadline: move.life.parkDeadline,
  });
}

function encodeAttempt(batch: BatchEncoder, move: PaymentCommit, n: number): void {
  const id = move.transactionId;
  if (move.newAttempt) {
    const attempt = move.newAttempt;
    batch.add('attempts', {
      n,
      id,
      attempt_no: attempt.attemptNo,
      provider_reference: attempt.providerReference,
      provider: attempt.provider,
      wallet: attempt.wallet,
      state: attempt.state,
      amount_minor: encodeMinor(attempt.amount),
      next_at: attempt.nextAt,
    });
  }
  for (const patch of move.attemptPatches ?? []) {
    batch.add('attempt_patches', {
      n,
      id,
      attempt_no: patch.attemptNo,
      fence: patch.fence,
      state: patch.state,
      next_at: patch.nextAt,
      receipt_number: patch.receiptNumber,
      provider_detail: patch.providerDetail,
      late_until: patch.lateUntil,
      ended_by: patch.endedBy,
      ...(patch.providerPaymentId !== undefined && { provider_payment_id: patch.providerPaymentId }),
    });
  }
}

function encodeHold(batch: BatchEncoder, move: PaymentCommit, n: number): void {
  if (!move.hold) return;
  if (typeof move.hold === 'string') {
    batch.add('hold_patches', { n, id: move.transactionId, state: move.hold });
    return;
  }
  const { open, partnerId } = move.hold;
  batch.add('holds', {
    n,
    id: move.transactionId,
    partner_id: partnerId,
    asset: open.currency,
    amount_minor: encodeMinor(open),
  });
}

function encodeDeposits(batch: BatchEncoder, move: PaymentCommit, n: number): void {
  if (move.releasesClaim === true) batch.add('releases', { n, id: move.transactionId });
  for (const deposit of move.deposits ?? []) {
    batch.add('deposits', {
      n,
      id: move.transactionId ?? move.about,
      deposit_id: deposit.depositId,
      partner_id: deposit.partnerId,
      chain: deposit.chain,
      asset: deposit.received.currency,
      decimals: deposit.decimals,
      received_minor: encodeMinor(deposit.received),
      rate: deposit.rate,
      shortfall_minor: deposit.shortfall === null ? '0' : encodeMinor(deposit.shortfall),
      is_main: deposit.isMain,
      quote_passed_over: deposit.quoteNotApplied,
      state: deposit.state,
      transaction_hash: deposit.transactionHash,
    });
  }
  for (const { depositId, expected, state } of move.depositPatches ?? [])
    batch.add('deposit_patches', { n, deposit_id: depositId, expected, state });
  if (move.mark)
    batch.add('marks', {
      n,
      consumer_group: move.mark.group,
      event_id: move.mark.eventId,
      occurred_at: move.mark.occurredAt,
    });
}

function encodeRefunds(batch: BatchEncoder, move: PaymentCommit, n: number): void {
  for (const refund of move.refunds ?? []) {
    batch.add('refunds', {
      n,
      refund_id: refund.refundId,
      partner_id: refund.partnerId,
      transaction_id: refund.transactionId,
      deposit_id: refund.depositId,
      chain: refund.chain,
      asset: refund.amount.currency,
      decimals: refund.decimals,
      amount_minor: encodeMinor(refund.amount),
      address: refund.address,
      origin: refund.origin,
    });
  }
  for (const { refundId, expected, state, transactionHash, failure, toldSequence } of move.refundPatches ?? []) {
    batch.add('refund_patches', {
      n,
      refund_id: refundId,
      expected,
      state,
      transaction_hash: transactionHash ?? null,
      failure: failure ?? null,
      told_sequence: toldSequence ?? null,
    });
  }
}

function encodeTroubles(batch: BatchEncoder, move: PaymentCommit, n: number): void {
  const id = move.transactionId ?? move.about;
  if (move.incident) {
    const { attemptNo, ...incident } = move.incident;
    batch.add('incidents', { n, id, attempt_no: attemptNo, ...incident });
  }
  if (move.duplicatePayment) {
    const { attemptNo, receiptNumber, provider, wallet, amount, owed } = move.duplicatePayment;
    batch.add('duplicate_payment', {
      n,
      id,
      attempt_no: attemptNo,
      receipt_number: receiptNumber,
      provider,
      wallet,
      amount_minor: encodeMinor(amount),
      owed,
    });
  }
  if (move.duplicatePaymentPatch) {
    const { attemptNo, unwound, owed } = move.duplicatePaymentPatch;
    batch.add('duplicate_payment_patches', { n, id, attempt_no: attemptNo, unwound, owed });
  }
  if (move.settlement) batch.add('settlements', { n, id: move.settlement.id, approved_by: move.settlement.approvedBy });
}

function encodePostings(batch: BatchEncoder, move: PaymentCommit, n: number): void {
  const deltas = new Map<number, bigint>();
  for (const posting of move.postings) {
    batch.add('postings', {
      n,
      id: move.transactionId ?? posting.about ?? move.about ?? null,
      reference: posting.reference,
      kind: posting.kind,
    });
    encodeLegs(batch, posting, n, deltas);
  }
  if (deltas.size > 0)
    batch.add('deltas', { n, accounts: [...deltas.keys()], amounts: [...deltas.values()].map(String) });
}

function encodeLegs(batch: BatchEncoder, posting: Posting, n: number, deltas: Map<number, bigint>): void {
  posting.legs.forEach((leg, legNo) => {
    const source = batch.account(leg.from);
    const target = batch.account(leg.to);
    deltas.set(source, (deltas.get(source) ?? 0n) - leg.amount.minor);
    deltas.set(target, (deltas.get(target) ?? 0n) + leg.amount.minor);
    batch.add('entries', {
      n,
      reference: posting.reference,
      leg_no: legNo,
      source,
      target,
      amount: encodeMinor(leg.amount),
    });
  });
}

/** They must exist before the commit. */
export function accountsOf(moves: readonly PaymentCommit[]): Set<string> {
  const names = new Set<string>();
  for (const move of moves)
    for (const posting of move.postings) for (const leg of posting.legs) names.add(leg.from).add(leg.to);
  return names;
}
