import { describe, expect, it } from '@jest/globals';

import { decideAttempt } from './attempt.js';
import { decide } from './decide.js';
import type { Subject, TransactionEvent } from './events.js';
import { happen } from './happen.spec-support.js';
import type { TransactionTrigger } from './triggers.spec-support.js';
import { TRANSACTION_STATES, type TransactionState } from './states.js';
import { ACCOUNT, balance, start, type Amounts, type World, kes, usdc, rateOf } from './world.spec-support.js';

const wallet = (state: TransactionState, more: Partial<Subject> = {}): Subject => ({
  state,
  fundedBy: 'wallet',
  refundAddress: false,
  attempt: { isCurrent: true, state: 'PENDING' },
  attemptSent: true,
  ...more,
});
const pay = (state: TransactionState, more: Partial<Subject> = {}): Subject =>
  wallet(state, { fundedBy: 'deposit', ...more });
const evidence = (...approvedBy: string[]): TransactionEvent => ({
  type: 'succeeded',
  sameReceipt: false,
  evidence: { approvedBy, document: 'statement 12' },
});

describe('decide', () => {
  it('moves twice in one commit when the provider tells of payment and reversal at once', () => {
    expect(decide(wallet('SUBMITTED'), { type: 'reversed' })).toEqual({
      kind: 'move',
      steps: [
        { to: 'COMPLETE', post: ['payout_settled'] },
        { to: 'REVERSED', post: ['payout_reversed'] },
      ],
      effects: [],
    });
  });

  it('sends failed money back where it came from', () => {
    const postOf = (subject: Subject): unknown => {
      const decision = decide(subject, { type: 'not_paid_last' });
      return decision.kind === 'move' ? decision.steps[0]?.post : decision.kind;
    };
    expect(postOf(wallet('SUBMITTED'))).toEqual(['payout_released']);
    expect(postOf(wallet('SUBMITTED', { refundAddress: true }))).toEqual(['payout_released']);
    expect(postOf(pay('SUBMITTED'))).toEqual(['payout_released']);
    expect(postOf(pay('SUBMITTED', { refundAddress: true }))).toEqual(['refund_held']);
    // The partner owes the vanished deposit, so nothing is refunded on chain.
    expect(postOf(pay('SUBMITTED', { refundAddress: true, depositReverted: true }))).toEqual(['payout_released']);
    expect(postOf(pay('SUBMITTED', { refundAddress: true, tooLittleToSend: true }))).toEqual(['payout_released']);
    // A chain refund cannot be collected later, so the wallet gets it.
    expect(postOf(pay('SUBMITTED', { refundAddress: true, chainExitBlock: true }))).toEqual(['payout_released']);
    expect(postOf(pay('SUBMITTED', { refundAddress: true, oursStands: true }))).toEqual([
      'payout_released',
      'duplicate_payment_owed',
    ]);
  });

  it('needs evidence and two different people in REVIEW', () => {
    expect(decide(wallet('REVIEW'), { type: 'succeeded', sameReceipt: false }).kind).toBe('record');
    expect(decide(wallet('REVIEW'), evidence('ann')).kind).toBe('record');
    expect(decide(wallet('REVIEW'), evidence('ann', 'ann')).kind).toBe('record');
    expect(decide(wallet('REVIEW'), evidence('ann', 'ben')).kind).toBe('move');
  });

  it('posts the money that moved in every state where a payment was not expected, once for each receipt', () => {
    const unexpected: TransactionState[] = [
      'ACCEPTED',
      'AWAITING_FUNDS',
      'CONFIRMING',
      'COMPLETE',
      'FAILED',
      'REVERSED',
    ];
    for (const state of unexpected) {
      expect(decide(wallet(state), { type: 'succeeded', sameReceipt: false })).toEqual({
        kind: 'conflict',
        // A partner owes it only if its money was returned.
        post: [state === 'FAILED' || state === 'REVERSED' ? 'duplicate_payment' : 'duplicate_payment_ours'],
        effects: ['open_incident'],
      });
      expect(decide(wallet(state), { type: 'succeeded', sameReceipt: true })).toEqual({ kind: 'ignore', effects: [] });
    }
  });

  it('never starts another attempt for what has been paid already', () => {
    expect(decide(wallet('QUEUED', { duplicatePayment: 'ours' }), { type: 'attempt.started' })).toEqual({
      kind: 'move',
      steps: [{ to: 'COMPLETE', post: ['duplicate_payment_ours_returned', 'payout_settled'] }],
      effects: ['alarm'],
    });
  });

  it('hears an older attempt by a table of its own', () => {
    const older = wallet('SUBMITTING', { attempt: { isCurrent: false, state: 'NOT_PAID' } });
    // It may still be paid: no second payment and no failure before a person checked.
    for (const state of ['SUBMITTING', 'SUBMITTED', 'IN_DOUBT', 'REVIEW', 'QUEUED'] as const) {
      for (const type of ['submitted', 'unknown'] as const)
        expect(decide({ ...older, state }, { type })).toEqual({
          kind: 'conflict',
          post: [],
          effects: ['open_incident', 'poll_again'],
        });
    }
    expect(decide({ ...older, state: 'COMPLETE' }, { type: 'submitted' }).kind).toBe('record');
    expect(decide(older, { type: 'not_paid_last' }).kind).toBe('record');
    expect(decide(older, { type: 'succeeded', sameReceipt: false })).toEqual({
      kind: 'conflict',
      post: ['duplicate_payment_ours'],
      effects: ['open_incident'],
    });
    expect(decide({ ...older, duplicatePayment: 'owed' }, { type: 'reversed' })).toMatchObject({
      kind: 'record',
      post: ['duplicate_payment_returned'],
    });
    expect(decide({ ...older, duplicatePayment: 'ours' }, { type: 'reversed' })).toMatchObject({
      kind: 'record',
      post: ['duplicate_payment_ours_returned'],
    });
    expect(decide({ ...older, state: 'QUEUED' }, { type: 'overdue' }).kind).toBe('move');
  });

  it('takes a late success for the payment where the money is held and nothing else is under way', () => {
    const complete = { kind: 'move', steps: [{ to: 'COMPLETE', post: ['payout_settled'] }], effects: ['alarm'] };
    const late: TransactionEvent = { type: 'succeeded', sameReceipt: false };
    const older = { attempt: { isCurrent: false, state: 'NOT_PAID' } } as const;
    expect(decide(wallet('QUEUED'), late)).toEqual(complete);
    expect(decide(wallet('QUEUED', older), late)).toEqual(complete);
    expect(decide(wallet('SUBMITTING', { ...older, currentUnsent: true }), late)).toEqual(complete);
    expect(decide(wallet('SUBMITTING', older), late).kind).toBe('conflict');
    expect(decide(wallet('SUBMITTED', { ...older, currentUnsent: true }), late).kind).toBe('conflict');
  });

  it('makes what was paid again a debt once the partner has its money back', () => {
    const stands = { oursStands: true };
    expect(decide(wallet('SUBMITTED', stands), { type: 'not_paid_last' })).toMatchObject({
      steps: [{ to: 'FAILED', post: ['payout_released', 'duplicate_payment_owed'] }],
    });
    expect(decide(wallet('COMPLETE', stands), { type: 'reversed' })).toMatchObject({
      steps: [{ to: 'REVERSED', post: ['payout_reversed', 'duplicate_payment_owed'] }],
    });
    expect(decide(wallet('SUBMITTED', stands), { type: 'succeeded', sameReceipt: false })).toMatchObject({
      steps: [{ to: 'COMPLETE', post: ['payout_settled'] }],
    });
  });

  it('tells by its receipt whether the payment came back or the one made again', () => {
    expect(decide(wallet('COMPLETE'), { type: 'reversed' })).toMatchObject({
      steps: [{ to: 'REVERSED', post: ['payout_reversed'] }],
    });
    expect(decide(wallet('COMPLETE', { duplicatePayment: 'ours' }), { type: 'reversed' })).toEqual({
      kind: 'record',
      post: ['duplicate_payment_ours_returned'],
      effects: [],
    });
    expect(decide(wallet('REVERSED', { duplicatePayment: 'owed' }), { type: 'reversed' })).toEqual({
      kind: 'record',
      post: ['duplicate_payment_returned'],
      effects: [],
    });
  });

  it('never fails IN_DOUBT by time, and moves it to QUEUED only on proof', () => {
    expect(decide(wallet('IN_DOUBT'), { type: 'overdue' }).kind).toBe('refuse');
    expect(decide(wallet('IN_DOUBT'), { type: 'deferred', provenNotTaken: false }).kind).toBe('record');
    expect(decide(wallet('IN_DOUBT'), { type: 'deferred', provenNotTaken: true })).toMatchObject({
      steps: [{ to: 'QUEUED' }],
    });
    expect(decide(wallet('SUBMITTED'), { type: 'deferred', provenNotTaken: false }).kind).toBe('record');
  });

  it('calls every verdict on a deposit of a wallet-funded transaction a conflict', () => {
    for (const state of Object.keys(TRANSACTION_STATES) as TransactionState[]) {
      expect(decide(wallet(state), { type: 'deposit.reverted' }).kind).toBe('conflict');
      expect(decide(wallet(state), { type: 'deposit.unapplied', deposit: 'new' })).toMatchObject({
        kind: 'conflict',
        post: ['deposit_unapplied'],
      });
    }
  });

  it('parks a screening hit in REVIEW, and only without an attempt is it cleared or ended by time', () => {
    const hit: TransactionEvent = { type: 'deposit.verified', deposit: 'new', screeningHit: true };
    expect(decide(pay('CONFIRMING'), hit)).toMatchObject({
      steps: [{ to: 'REVIEW', post: ['deposit_received', 'pay_funded', 'shortfall_covered'] }],
    });
    expect(decide(pay('REVIEW', { attemptSent: false }), { type: 'screening.cleared' })).toMatchObject({
      steps: [{ to: 'QUEUED' }],
    });
    expect(decide(pay('REVIEW'), { type: 'screening.cleared' }).kind).toBe('refuse');
    expect(decide(pay('REVIEW', { attemptSent: false }), { type: 'cancelled' })).toMatchObject({
      steps: [{ to: 'FAILED' }],
    });
    expect(decide(pay('REVIEW'), { type: 'cancelled' }).kind).toBe('refuse');
  });

  it('releases a claim whose deposit was not found or not final, no other', () => {
    expect(decide(pay('CONFIRMING'), { type: 'deposit.unusable', releasesClaim: true })).toMatchObject({
      effects: ['release_claim'],
    });
    expect(decide(pay('CONFIRMING'), { type: 'deposit.unusable', releasesClaim: false })).toMatchObject({
      effects: [],
    });
  });

  it('owes nothing for a deposit that vanishes while the attempt it pays for is unsent', () => {
    const unsent: Subject = { state: 'SUBMITTING', fundedBy: 'deposit', refundAddress: true, currentUnsent: true };
    expect(decide(unsent, { type: 'deposit.reverted' })).toMatchObject({
      kind: 'move',
      steps: [{ to: 'FAILED', post: ['deposit_vanished_unpaid'] }],
    });
    expect(decide({ ...unsent, currentUnsent: false }, { type: 'deposit.reverted' })).toMatchObject({
      kind: 'conflict',
      post: ['deposit_vanished_paid'],
    });
    expect(decide({ ...unsent, oursStands: true }, { type: 'deposit.reverted' })).toMatchObject({
      kind: 'conflict',
      post: ['deposit_vanished_paid'],
    });
  });

  it('takes a vanished deposit back from where its value is', () => {
    const reverted: TransactionEvent = { type: 'deposit.reverted' };
    expect(decide(pay('QUEUED'), reverted)).toMatchObject({
      steps: [{ to: 'FAILED', post: ['deposit_vanished_unpaid'] }],
    });
    // A given-up attempt paid: the recipient has the money.
    expect(decide(pay('QUEUED', { oursStands: true }), reverted)).toMatchObject({
      kind: 'conflict',
      post: ['deposit_vanished_paid'],
      effects: ['open_incident', 'freeze_partner', 'collect_receivable'],
    });
    expect(decide(pay('QUEUED', { oursStands: true, valueAt: 'unapplied' }), reverted)).toMatchObject({
      kind: 'record',
      post: ['unapplied_deposit_vanished'],
    });
    expect(decide(pay('SUBMITTED'), reverted)).toMatchObject({ kind: 'conflict', post: ['deposit_vanished_paid'] });
    expect(decide(pay('SUBMITTED', { depositReverted: true }), reverted).kind).toBe('ignore');
    expect(decide(pay('FAILED', { valueAt: 'unapplied' }), reverted)).toMatchObject({
      kind: 'record',
      post: ['unapplied_deposit_vanished'],
    });
    expect(decide(pay('FAILED', { valueAt: 'refunding' }), reverted)).toMatchObject({
      kind: 'record',
      post: ['refunding_deposit_vanished'],
    });
    expect(decide(pay('FAILED', { valueAt: 'wallet' }), reverted)).toMatchObject({
      kind: 'conflict',
      post: ['deposit_vanished_paid'],
    });
    expect(decide(pay('FAILED', { valueAt: 'refunded' }), reverted)).toMatchObject({
      kind: 'conflict',
      post: ['deposit_vanished_paid'],
    });
    expect(decide(pay('FAILED'), reverted).kind).toBe('ignore');
  });
});

describe('whole roads, in minor units', () => {
  const amounts: Amounts = {
    amount: kes(500_00n),
    markup: kes(7_00n),
    serviceFee: kes(30_00n),
    received: usdc(3_900_000n),
    rate: rateOf(12_935n, 1_000_000n),
  };
  const path = (first: World, facts: Amounts, ...events: TransactionEvent[]): World =>
    events.reduce(
      (world, event) => happen(world, { kind: 'event', event, of: 'current' } satisfies TransactionTrigger, facts),
      first,
    );
  const paid: TransactionEvent[] = [
    { type: 'attempt.started' },
    { type: 'submitted' },
    { type: 'succeeded', sameReceipt: false },
  ];
  const verified: TransactionEvent = { type: 'deposit.verified', deposit: 'new', screeningHit: false };

  it('a wallet-funded payout costs amount and service fee; the markup comes back', () => {
    const done = path(start('wallet', false, amounts), amounts, ...paid);
    expect(done.statuses).toEqual(['PENDING', 'PROCESSING', 'COMPLETE']);
    expect([ACCOUNT.wallet, ACCOUNT.held, ACCOUNT.fees].map((account) => balance(done, account))).toEqual([
      7_00n,
      0n,
      30_00n,
    ]);
    const reversed = path(done, amounts, { type: 'reversed' });
    expect([ACCOUNT.wallet, ACCOUNT.fees].map((account) => balance(reversed, account))).toEqual([530_00n, 0n]);
  });

  it('a pay gives markup and surplus to the wallet', () => {
    const facts = { ...amounts, serviceFee: kes(0n) };
    const done = path(start('deposit', true, facts), facts, { type: 'deposit.seen' }, verified, ...paid);
    expect(done.statuses).toEqual(['PENDING', 'PROCESSING', 'COMPLETE']);
    expect([ACCOUNT.wallet, ACCOUNT.held, ACCOUNT.fxToken].map((account) => balance(done, account))).toEqual([
      11_46n,
      0n,
      3_900_000n,
    ]);
  });

  it('a failed pay is refunded in what was received, or credited in fiat, never both', () => {
    const facts = { ...amounts, serviceFee: kes(0n) };
    const ends = [true, false].map((refundAddress) =>
      path(start('deposit', refundAddress, facts), facts, verified, { type: 'overdue' }),
    );
    const look = (world: World): bigint[] =>
      [ACCOUNT.wallet, ACCOUNT.refunding, ACCOUNT.fxFiat, ACCOUNT.fxToken].map((account) => balance(world, account));
    expect(ends.map(look)).toEqual([
      [0n, 3_900_000n, 0n, 0n],
      [504_46n, 0n, -504_46n, 3_900_000n],
    ]);
  });

  it('a deposit that vanishes before submission leaves nothing behind', () => {
    const facts = { ...amounts, serviceFee: kes(0n) };
    const end = path(start('deposit', true, facts), facts, verified, { type: 'deposit.reverted' });
    expect(end.state).toBe('FAILED');
    for (const account of [ACCOUNT.held, ACCOUNT.unapplied, ACCOUNT.chain, ACCOUNT.fxFiat, ACCOUNT.fxToken])
      expect(balance(end, account)).toBe(0n);
  });

  it('a payment after FAILED is owed, collected, and given back when it comes back', () => {
    const failed = path(
      start('wallet', false, amounts),
      amounts,
      { type: 'attempt.started' },
      { type: 'not_paid_last' },
    );
    const owed = path(failed, amounts, { type: 'succeeded', sameReceipt: false });
    expect(owed.state).toBe('FAILED');
    expect(balance(owed, ACCOUNT.receivable)).toBe(-493_00n);
    const collected = happen(owed, { kind: 'own', posting: 'receivable_collected' }, amounts);
    expect([ACCOUNT.wallet, ACCOUNT.receivable].map((account) => balance(collected, account))).toEqual([37_00n, 0n]);
    const back = path(collected, amounts, { type: 'reversed' });
    expect([ACCOUNT.wallet, ACCOUNT.receivable].map((account) => balance(back, account))).toEqual([530_00n, 0n]);
  });
});

describe('decideAttempt', () => {
  it('sends again only the same id, and only where it may be repeated', () => {
    for (const state of ['SENDING', 'UNKNOWN'] as const) {
      expect(decideAttempt(state, 'sending', { mayRepeat: true })).toEqual({ kind: 'repeat' });
      expect(decideAttempt(state, 'sending')).toEqual({ kind: 'refuse' });
    }
    expect(decideAttempt('PENDING', 'sending', { mayRepeat: true })).toEqual({ kind: 'refuse' });
    expect(decideAttempt('NOT_PAID', 'sending', { mayRepeat: true })).toEqual({ kind: 'refuse' });
  });

  it('stays open on a deferral that proves nothing of its submit', () => {
    for (const state of ['SENDING', 'PENDING', 'UNKNOWN'] as const) {
      expect(decideAttempt(state, 'deferred')).toEqual({ kind: 'record' });
      expect(decideAttempt(state, 'deferred', { provenNotTaken: true })).toEqual({ kind: 'move', to: 'NOT_PAID' });
    }
  });

  it('knows that one proven not paid was paid after all, as a conflict', () => {
    expect(decideAttempt('NOT_PAID', 'succeeded')).toEqual({ kind: 'conflict', to: 'PAID' });
    expect(decideAttempt('NOT_PAID', 'submitted')).toEqual({ kind: 'conflict', to: null });
  });

  it('is given up only unsent', () => {
    expect(decideAttempt('INTENT', 'stopped')).toEqual({ kind: 'move', to: 'NOT_PAID' });
    for (const state of ['SENDING', 'PENDING', 'UNKNOWN', 'PAID'] as const)
      expect(decideAttempt(state, 'stopped')).toEqual({ kind: 'refuse' });
  });
});
