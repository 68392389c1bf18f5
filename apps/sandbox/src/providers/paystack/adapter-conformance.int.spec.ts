import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type CallbackReading,
  describeHonestSimulator,
  type HonestHarness,
  type HonestSimulator,
  type PayoutInstruction,
  paystackProvider,
  type PaystackProvider,
} from '@vuka/payouts';

import { asReceived, connect, named, nameless, to } from './adapter.spec-support.js';
import { NUMBERS } from './behaviour/numbers.js';
import { CALL_REFUSALS } from './behaviour/refusals.js';
import { accountNameOf } from './data/account-names.js';
import { MINUTE_MS, RunningPaystack, SECRET } from './simulator.spec-support.js';

const SECOND_MS = 1_000;
/** Longer than any course that the suite waits for, shorter than the five minutes until money comes back. */
const A_STEP_ON_MS = 4 * MINUTE_MS;

async function startProvider(): Promise<HonestSimulator> {
  const paystack = await RunningPaystack.start();
  const steer = (action: 'release' | 'pay' | 'reverse') => (attemptId: string) =>
    paystack.control.steer(attemptId, action);
  return {
    baseUrl: paystack.baseUrl,
    credential: SECRET,
    settle: () => paystack.clock.advance(A_STEP_ON_MS),
    timesPaid: (attemptId) => Promise.resolve(paystack.standing(attemptId)),
    control: {
      release: steer('release'),
      pay: steer('pay'),
      reverse: steer('reverse'),
      // A balance is no order's.
      topUp: () => Promise.resolve(false),
    },
    stop: () => paystack.remove(),
  };
}

/**
 * Left out is what Paystack has no words for: a reason after acceptance, what expired (`abandoned` is of one-time
 * passwords alone), a second payment, and float for one order alone.
 */
const harness: HonestHarness = {
  connect: (options) => paystackProvider(options),
  startProvider,
  payable: () => to('1234'),
  payables: named,
  rejected: () => to('0501'),
  troubles: {
    unansweredPaid: () => to('0003'),
    held: () => to('0106'),
    reversed: () => to('0108'),
    anotherAmount: () => to('0202'),
  },
  names: {
    known: () => [{ destination: to('1234').destination, currency: 'NGN', name: accountNameOf('0123451234') }],
    nobody: () => ({ destination: to('0601').destination, currency: 'NGN' }),
    nameless: () => ({ destination: to('0602').destination, currency: 'NGN' }),
    unanswered: () => ({ destination: to('0606').destination, currency: 'NGN' }),
  },
};

/** What is told of each refusal of the call that pays. */
const REFUSED_AS: Readonly<Record<(typeof CALL_REFUSALS)[number], string>> = {
  invalid_recipient: 'config',
  watchlist: 'recipient_rejected',
  cannot_resolve: 'recipient_not_found',
  no_balance: 'float',
  no_balance_text: 'float',
  starter_business: 'config',
  // In no table: they stay open.
  deactivated: 'unknown',
  no_privilege: 'unknown',
  // A text about references is no proof, unless it is one that we know.
  illegal_reference: 'config',
  invalid_amount: 'config',
  invalid_params: 'config',
  something_new: 'config',
};

const FORGERIES: readonly unknown[] = ['unsigned', 'forged', 'altered_body', 'sha256'];

describeHonestSimulator('the adapter of Paystack', { describe, it }, harness);

describe('the adapter of Paystack with its simulator', () => {
  let paystack: RunningPaystack;
  let provider: PaystackProvider;
  beforeEach(async () => {
    paystack = await RunningPaystack.start({ holdMs: 100 });
    provider = connect(paystack);
  });
  afterEach(async () => {
    await provider.close();
    await paystack.remove();
  });

  it('pays each kind of recipient in Kenya, whose names are not told', async () => {
    for (const payout of nameless()) {
      expect(await provider.submit(payout)).toMatchObject({ outcome: 'submitted' });
      await paystack.control.moveClock(MINUTE_MS);
      expect(await provider.query(payout)).toMatchObject({
        outcome: 'succeeded',
        publicName: null,
        amount: payout.amount,
      });
    }
  });

  it('finds each difference of the record from what was instructed', async () => {
    for (const digits of ['0202', '0203', '0204', '0205']) {
      const payout = to(digits);
      await provider.submit(payout);
      await paystack.control.moveClock(MINUTE_MS);
      expect([digits, await provider.query(payout)]).toEqual([
        digits,
        expect.objectContaining({ outcome: 'mismatch' }),
      ]);
    }
    const stranger = to('0213');
    await provider.submit(stranger);
    await paystack.control.moveClock(MINUTE_MS);
    expect(await provider.query(stranger)).toMatchObject({ outcome: 'query_failed' });
  });

  it('never says of a lost or strange answer that nothing was taken, and a repeat pays nothing more', async () => {
    const answered = Object.entries(NUMBERS).flatMap(([digits, { answer }]) =>
      answer === undefined ? [] : [{ digits, ...answer }],
    );
    const impatient = connect(paystack, 50);
    for (const { digits, taken, how, always } of answered) {
      const payout = to(digits);
      const { outcome } = await (how === 'hold' ? impatient : provider).submit(payout);
      // 401 proves that it was not taken.
      const isRefusal = how === 'wrong_key';
      expect([digits, isRefusal ? outcome === 'deferred' : ['submitted', 'unknown'].includes(outcome)]).toEqual([digits, true]); // prettier-ignore
      const known = await provider.query(payout);
      expect([digits, known.outcome]).toEqual([digits, taken ? 'submitted' : 'unknown']);
      const repeated = await provider.submit(payout);
      expect([digits, repeated.outcome]).toEqual([digits, 'submitted']);
      await paystack.control.moveClock(MINUTE_MS);
      const ended = await provider.query(payout);
      const standing = paystack.standing(payout.attemptId);
      expect([digits, ended.outcome === 'succeeded' ? 1 : 0]).toEqual([digits, standing]);
      if (always === true) expect([digits, ended]).toEqual([digits, expect.objectContaining({ notFound: true })]);
    }
    await impatient.close();
  });

  it('says of money that came back that it is reversed, or not paid where the record says so', async () => {
    for (const [digits, end] of [['0108', 'reversed'], ['0117', 'not_paid']] as const) {
      const payout = to(digits);
      await provider.submit(payout);
      await paystack.control.moveClock(MINUTE_MS);
      const paid = await provider.query(payout);
      expect(paid).toMatchObject({ outcome: 'succeeded' });
      await paystack.control.moveClock(6 * MINUTE_MS);
      const back = await provider.query(payout);
      expect(back).toMatchObject({ outcome: end });
      if (paid.outcome === 'succeeded' && back.outcome === 'reversed') expect(back.receipt).toBe(paid.receipt);
      expect(paystack.standing(payout.attemptId)).toBe(0);
    }
    const never = to('0112');
    await provider.submit(never);
    await paystack.control.moveClock(MINUTE_MS);
    expect(await provider.query(never)).toMatchObject({ outcome: 'reversed', elseNotPaid: 'rail_rejected' });
  }); // prettier-ignore

  it('waits for us where a one-time password is wanted, and is our fault once it is abandoned', async () => {
    const payout = to('0101');
    expect(await provider.submit(payout)).toMatchObject({ outcome: 'submitted', waitsForUs: expect.any(String) });
    expect(await provider.query(payout)).toMatchObject({ outcome: 'submitted', waitsForUs: expect.any(String) });
    await paystack.control.moveClock(31 * MINUTE_MS);
    expect(await provider.query(payout)).toMatchObject({ outcome: 'not_paid', routeLeft: true, ourFault: 'config' });
    expect(paystack.control.payments(payout.attemptId)).toEqual([]);
  });

  it('says for as long as it is not found that this proves nothing, and then how it ended', async () => {
    for (const [digits, end] of [['0206', 'succeeded'], ['0216', 'not_paid']] as const) {
      const payout = to(digits);
      await provider.submit(payout);
      await paystack.control.moveClock(13 * MINUTE_MS);
      expect(await provider.query(payout)).toMatchObject({ outcome: 'unknown', notFound: true });
      await paystack.control.moveClock(2 * MINUTE_MS);
      expect(await provider.query(payout)).toMatchObject({ outcome: end });
    }
    expect(provider.capabilities.notFoundProvesAfterMs).toBeNull();
  }); // prettier-ignore

  it('makes a recipient that is gone again, and pays under the same reference once', async () => {
    const gone = to('0019');
    // Nothing was kept of the account, so its first recipient is a new one: the refusal is Paystack's word.
    expect(await provider.submit(gone)).toMatchObject({ outcome: 'deferred', reason: 'config' });
    expect(await provider.submit(gone)).toMatchObject({ outcome: 'submitted' });
    const [first, second] = [to('1234'), to('1234')];
    await provider.submit(first);
    const code = await paystack.recipient('1234');
    expect(await paystack.control.deleteRecipient(code)).toBe(true);
    expect(await provider.submit(second)).toMatchObject({ outcome: 'submitted' });
    await paystack.control.moveClock(MINUTE_MS);
    for (const payout of [gone, first, second]) {
      expect(await provider.query(payout)).toMatchObject({ outcome: 'succeeded' });
      expect(paystack.control.payments(payout.attemptId)).toHaveLength(1);
    }
  });

  it('pays nobody while the recipient cannot be made, and the same account once it can', async () => {
    for (const [digits, isHeld] of [['0701', false], ['0702', true], ['0703', false], ['0704', false], ['0705', false]] as const) {
      const payout = to(digits);
      const impatient = connect(paystack, 50);
      const first = await (isHeld ? impatient : provider).submit(payout);
      await impatient.close();
      expect([digits, first]).toEqual([digits, expect.objectContaining({ outcome: 'deferred' })]);
      expect(await provider.submit(payout)).toMatchObject({ outcome: 'submitted' });
    }
    const other = to('0706');
    for (let repeats = 0; repeats < 2; repeats += 1)
      expect(await provider.submit(other)).toMatchObject({ outcome: 'deferred', reason: 'unreachable' });
    expect(paystack.control.submits(other.attemptId)).toBe(0);
  }); // prettier-ignore

  it('ends a call that is refused by whose fault it is, and nothing is taken', async () => {
    for (const [index, name] of CALL_REFUSALS.entries()) {
      const payout = to(String(401 + index).padStart(4, '0'));
      const answer = await provider.submit(payout);
      const said = 'reason' in answer ? answer.reason : 'code' in answer ? answer.code : answer.outcome;
      expect([name, said]).toEqual([name, REFUSED_AS[name]]);
      expect(await provider.query(payout)).toMatchObject({ outcome: 'unknown', notFound: true });
    }
  });

  it('tells the balances and fees by the rules that it says they follow', async () => {
    const other = await RunningPaystack.start({ openingMinor: 1_000_000n, feesMinor: { default: 1_000n } });
    const adapter = connect(other);
    const balance = async (): Promise<bigint | undefined> => {
      const told = await adapter.balances();
      const found = told.outcome === 'told' && told.balances.find(({ amount }) => amount.currency === 'NGN');
      return found ? found.amount.minor : undefined;
    };
    const [paid, failed] = [to('1234'), to('0501')];
    expect(adapter.capabilities.debitsAt).toBe('acceptance');
    for (const payout of [paid, failed]) await adapter.submit(payout);
    expect(await balance()).toBe(1_000_000n - 2n * 151_005n);
    await other.control.moveClock(MINUTE_MS);
    expect(await balance()).toBe(1_000_000n - 151_005n);
    expect(await adapter.query(paid)).toMatchObject({ outcome: 'succeeded', fee: { minor: 1_000n, currency: 'NGN' } });
    await adapter.close();
    await other.remove();
  });

  describe('called back', () => {
    /** Submits, and reads what is heard within an hour when it is heard. */
    async function readOf(payout: PayoutInstruction): Promise<CallbackReading[]> {
      const { listener, control } = paystack;
      const readings: CallbackReading[] = [];
      let read = listener.heard.length;
      await provider.submit(payout);
      for (const stepMs of [2 * SECOND_MS, 2 * MINUTE_MS, 12 * MINUTE_MS, 50 * MINUTE_MS]) {
        await control.moveClock(stepMs);
        for (const heard of listener.heard.slice(read)) readings.push(await provider.parseCallback(asReceived(heard)));
        read = listener.heard.length;
      }
      return readings;
    }

    it('takes as signed what Paystack signed, and reads it as it reads the record', async () => {
      for (const digits of ['1234', '0108', '0112', '0302', '0303', '0304', '0309', '0310', '0501', '0107']) {
        const payout = to(digits);
        const readings = await readOf(payout);
        expect([digits, readings.length > 0, readings.every(({ signed }) => signed)]).toEqual([digits, true, true]);
        for (const { attemptIds } of readings) expect([digits, attemptIds]).toEqual([digits, [payout.attemptId]]);
        expect([digits, readings.at(-1)?.answerFor(payout)]).toEqual([digits, await provider.query(payout)]);
      }
    });

    it('never takes as signed what is forged, altered or not signed: it is a hint', async () => {
      const unsigned = Object.entries(NUMBERS).filter(([, { webhooks = [] }]) =>
        webhooks.some(({ signing }) => FORGERIES.includes(signing)),
      );
      expect(unsigned.length).toBeGreaterThan(5);
      for (const [digits] of unsigned) {
        const payout = to(digits);
        const readings = await readOf(payout);
        expect([digits, readings.length]).toEqual([digits, 1]);
        for (const reading of readings) {
          expect([digits, reading.signed, reading.attemptIds]).toEqual([digits, false, [payout.attemptId]]);
          expect(reading.answerFor(payout)).toMatchObject({ outcome: 'query_failed' });
        }
      }
    });

    it('takes a signed one about another transfer, amount or event for no payment of this', async () => {
      const stranger = to('0313');
      const [first, second] = await readOf(stranger);
      expect(first?.attemptIds).toEqual([]);
      expect(first?.answerFor(stranger)).toMatchObject({ outcome: 'query_failed' });
      expect(second?.answerFor(stranger)).toMatchObject({ outcome: 'succeeded' });
      const dearer = to('0315');
      expect((await readOf(dearer))[0]?.answerFor(dearer)).toMatchObject({ outcome: 'mismatch' });
      const strange = to('0316');
      expect((await readOf(strange))[0]?.answerFor(strange)).toMatchObject({ outcome: 'query_failed' });
    });
  });
});
