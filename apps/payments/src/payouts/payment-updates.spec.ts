import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { money, type TransactionState } from '@vuka/domain';
import type { ProviderPayment } from '@vuka/payouts';

import { updateOf, type ProviderEvent } from './payment-updates.js';
import { NO_HISTORY, type History } from '../transactions/attempt.store.js';
import type { TransactionLife } from '../commit/payment-commit.js';

const life = (
  state: TransactionState,
  receiptNumber: string | null = null,
  paidAttemptNo: number | null = receiptNumber === null ? null : 1,
): TransactionLife => ({
  state,
  receiptNumber,
  paidAttemptNo,
  sequence: 1,
  publicSequence: 0,
  attemptNo: 1,
  message: '',
  failureCode: null,
  publicName: null,
  dueAt: null,
  parkDeadline: null,
});
const answerOf = ([first, ...otherPayments]: readonly ProviderPayment[]): ProviderEvent =>
  first!.reversed
    ? { outcome: 'reversed', receipt: first!.receipt, detail: '', otherPayments }
    : {
        outcome: 'succeeded',
        receipt: first!.receipt,
        publicName: 'TEST',
        otherPayments,
      };

const attempts = (receiptNumber: string): History['attempts'] => [
  {
    attemptNo: 1,
    provider: 'a',
    wallet: 'main',
    providerReference: '',
    state: 'PAID',
    fence: 1,
    receiptNumber,
    endedBy: 'succeeded',
    endedAt: null,
    isAcknowledged: true,
  },
];
const settledBy = (receipt: string): History => ({ ...NO_HISTORY, attempts: attempts(receipt) });

const DUPLICATE = {
  attemptNo: 1,
  provider: 'a',
  wallet: 'main',
  amount: money(1n, 'KES'),
  owed: false,
  unwound: false,
} as const;

/** Applies an answer until it says nothing new. Bounded. */
function tellAll(
  answer: ProviderEvent,
  start: TransactionState,
): { life: TransactionLife; history: History; told: string[] } {
  let now = life(start);
  let history: History = NO_HISTORY;
  const told: string[] = [];
  for (let update = updateOf(answer, 1, now, history); update !== null; update = updateOf(answer, 1, now, history)) {
    const receipt = update.receipt!;
    told.push(`${update.answer.outcome} ${receipt}`);
    if (told.length > 20) throw new Error('the same news again and again');
    const again = history.duplicatePayment.find((payment) => payment.receiptNumber === receipt);
    if (again)
      history = {
        ...history,
        duplicatePayment: history.duplicatePayment.map((payment) =>
          payment === again ? { ...payment, unwound: true } : payment,
        ),
      };
    else if (now.state === 'SUBMITTED' || (now.state === 'COMPLETE' && now.receiptNumber === receipt)) {
      now = life(update.answer.outcome === 'reversed' ? 'REVERSED' : 'COMPLETE', receipt);
      history = { ...history, attempts: attempts(receipt) };
    } else
      history = {
        ...history,
        duplicatePayment: [...history.duplicatePayment, { ...DUPLICATE, receiptNumber: receipt }],
      };
  }
  return { life: now, history, told };
}

describe('updateOf', () => {
  it('is whatever is said that is no payment', () => {
    for (const answer of [{ outcome: 'submitted' }, { outcome: 'unknown', detail: '' }] as const) {
      expect(updateOf(answer, 1, life('COMPLETE', 'R1'), settledBy('R1'))).toEqual({
        answer,
        receipt: null,
        more: false,
      });
    }
  });

  it('is null where the payment is the one that is known', () => {
    expect(
      updateOf(answerOf([{ receipt: 'R1', reversed: false }]), 1, life('COMPLETE', 'R1'), settledBy('R1')),
    ).toBeNull();
    expect(
      updateOf(answerOf([{ receipt: 'R1', reversed: true }]), 1, life('REVERSED', 'R1'), settledBy('R1')),
    ).toBeNull();
  });

  it('is null where a provider with one payment under an id calls it by another receipt, and is news elsewhere', () => {
    const answer = answerOf([{ receipt: 'BANK-7', reversed: false }]);
    const [first] = attempts('R1');
    const twice: History = {
      ...NO_HISTORY,
      attempts: [first!, { ...first!, attemptNo: 2 }],
      duplicatePayment: [{ ...DUPLICATE, attemptNo: 2, receiptNumber: 'R2' }],
    };
    for (const [attemptNo, history] of [
      [1, settledBy('R1')],
      [2, twice],
    ] as const) {
      const now = life('COMPLETE', 'R1');
      expect(updateOf(answer, attemptNo, now, history, { onePayment: true })).toBeNull();
      expect(updateOf(answer, attemptNo, now, history)).toMatchObject({ receipt: 'BANK-7' });
    }
    // Its return is the return of the one that is known.
    const back = answerOf([{ receipt: 'BANK-7', reversed: true }]);
    expect(updateOf(back, 1, life('COMPLETE', 'R1'), settledBy('R1'), { onePayment: true })).toMatchObject({
      receipt: 'R1',
    });
    // The first receipt is the one that is told first.
    expect(updateOf(answer, 1, life('SUBMITTED'), NO_HISTORY, { onePayment: true })).toMatchObject({
      receipt: 'BANK-7',
    });
  });

  it('tells two providers apart that use the same receipt', () => {
    const answer = answerOf([{ receipt: 'R1', reversed: false }]);
    const [first] = attempts('R1');
    const history: History = {
      ...NO_HISTORY,
      attempts: [
        { ...first!, state: 'NOT_PAID', receiptNumber: null, endedBy: 'not_paid' },
        { ...first!, attemptNo: 2, provider: 'b' },
      ],
    };
    expect(updateOf(answer, 2, life('COMPLETE', 'R1', 2), history)).toBeNull();
    expect(updateOf(answer, 1, life('COMPLETE', 'R1', 2), history)).toMatchObject({ receipt: 'R1' });
  });

  it('says that there is more', () => {
    const answer = answerOf([
      { receipt: 'R1', reversed: false },
      { receipt: 'R2', reversed: false },
    ]);
    expect(updateOf(answer, 1, life('SUBMITTED'), NO_HISTORY)).toMatchObject({ receipt: 'R1', more: true });
    expect(updateOf(answer, 1, life('COMPLETE', 'R1'), settledBy('R1'))).toMatchObject({ receipt: 'R2', more: false });
  });

  it('says nothing of a payment that came and went unnoticed beside the one that stands', () => {
    const answer = answerOf([
      { receipt: 'R1', reversed: false },
      { receipt: 'R2', reversed: true },
    ]);
    expect(tellAll(answer, 'SUBMITTED')).toMatchObject({ told: ['succeeded R1'], life: { state: 'COMPLETE' } });
  });

  it('ends, and every payment that stands at the provider stands in the ledger, once', () => {
    const payments = fc.uniqueArray(
      fc.record({ receipt: fc.constantFrom('R1', 'R2', 'R3', 'R4'), reversed: fc.boolean() }),
      { minLength: 1, maxLength: 4, selector: ({ receipt }) => receipt },
    );
    fc.assert(
      fc.property(payments, fc.constantFrom<TransactionState>('SUBMITTED', 'FAILED'), (listed, start) => {
        const { life: end, history } = tellAll(answerOf(listed), start);
        const standing = [
          ...(end.state === 'COMPLETE' ? [end.receiptNumber] : []),
          ...history.duplicatePayment.filter(({ unwound }) => !unwound).map(({ receiptNumber }) => receiptNumber),
        ];
        expect(standing.sort()).toEqual(
          listed
            .filter(({ reversed }) => !reversed)
            .map(({ receipt }) => receipt)
            .sort(),
        );
      }),
    );
  });
});
