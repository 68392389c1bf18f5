import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type CallbackReading,
  type ChapaProvider,
  describeHonestSimulator,
  type HonestHarness,
  type HonestSimulator,
  type PayoutInstruction,
} from '@vuka/payouts';

import { asReceived, Merchant } from './adapter.spec-support.js';
import { NUMBERS } from './behaviour/numbers.js';
import type { RefusalCode } from './behaviour/refusals.js';
import { MINUTE_MS, RunningChapa, TOKEN } from './simulator.spec-support.js';

const SECOND_MS = 1_000;
/** Longer than any course that the suite waits for, shorter than the five minutes until money comes back. */
const A_STEP_ON_MS = 4 * MINUTE_MS;

async function startProvider(merchant: Merchant, repeats: 'refused' | 'paid_again'): Promise<HonestSimulator> {
  const chapa = await RunningChapa.start({ repeats });
  merchant.answer(chapa);
  const steer = (action: 'release' | 'pay' | 'fail') => (attemptId: string) => chapa.control.steer(attemptId, action);
  return {
    baseUrl: chapa.baseUrl,
    credential: TOKEN,
    dedupes: repeats === 'refused',
    settle: async () => {
      // It asks, and then it pays.
      await chapa.control.moveClock(0);
      await chapa.control.moveClock(A_STEP_ON_MS);
    },
    timesPaid: (attemptId) => Promise.resolve(chapa.paid(attemptId)),
    control: {
      release: steer('release'),
      pay: steer('pay'),
      reverse: steer('fail'),
      // A balance is no order's.
      topUp: () => Promise.resolve(false),
    },
    stop: () => chapa.remove(),
  };
}

/**
 * Left out is what Chapa has no words for: a reason after acceptance, what expired, a payment that came back (its
 * record has failed), and a second payment, which its record does not tell.
 */
const harnessOf = (repeats: 'refused' | 'paid_again'): HonestHarness => {
  const merchant = new Merchant();
  const { to, payables } = merchant;
  return {
    connect: (options) => merchant.connect(options),
    startProvider: () => startProvider(merchant, repeats),
    payable: () => to('1234'),
    payables,
    rejected: () => to('0501'),
    statementIsOfStatuses: true,
    troubles: {
      nameless: () => to('1234'),
      unansweredPaid: () => to('0003'),
      held: () => to('0102'),
      anotherAmount: () => to('0202'),
    },
  };
};

/** What is told of each refusal of the call that pays; all others are our configuration. */
const REFUSED_AS: Readonly<Partial<Record<RefusalCode, string>>> = {
  transfer_hours: 'corridor_off',
  account_not_valid: 'recipient_invalid',
  insufficient_balance: 'float',
  reference_used: 'submitted',
  too_many: 'unknown',
  unauthorized_access: 'unknown',
  something_new: 'unknown',
};

const FORGERIES: readonly unknown[] = ['unsigned', 'forged', 'altered_body', 'constant_only', 'constant_and_forged'];

for (const repeats of ['refused', 'paid_again'] as const)
  describeHonestSimulator(`the adapter of Chapa, whose repeats are ${repeats}`, { describe, it }, harnessOf(repeats));

describe('the adapter of Chapa with its simulator', () => {
  let chapa: RunningChapa;
  let merchant: Merchant;
  let provider: ChapaProvider;
  let to: Merchant['to'];
  beforeEach(async () => {
    chapa = await RunningChapa.start({ holdMs: 100 });
    merchant = new Merchant();
    ({ to } = merchant);
    merchant.answer(chapa);
    provider = merchant.connectTo(chapa);
  });
  afterEach(async () => {
    await provider.close();
    await chapa.remove();
  });

  const goOn = async (ms: number): Promise<void> => {
    await chapa.control.moveClock(0);
    await chapa.control.moveClock(ms);
  };

  it('promises nothing of repeats, so that nobody sends again, and makes one call of a submit', async () => {
    expect(provider.capabilities).toMatchObject({ dedupesForMs: null, notFoundProvesAfterMs: null });
    for (const digits of ['0701', '0702', '0703', '0704']) {
      const payout = to(digits);
      const { outcome } = await provider.submit(payout);
      expect([digits, ['submitted', 'unknown'].includes(outcome)]).toEqual([digits, true]);
      await goOn(MINUTE_MS);
      expect([digits, chapa.control.submits(payout.attemptId), chapa.paid(payout.attemptId)]).toEqual([digits, 1, 1]);
      expect([digits, (await provider.query(payout)).outcome]).toEqual([digits, 'succeeded']);
    }
  });

  it('finds each difference of the record from what was instructed', async () => {
    for (const digits of ['0202', '0203', '0204', '0205', '0217']) {
      const payout = to(digits);
      await provider.submit(payout);
      await goOn(MINUTE_MS);
      expect([digits, await provider.query(payout)]).toEqual([
        digits,
        expect.objectContaining({ outcome: 'mismatch' }),
      ]);
    }
    for (const digits of ['0212', '0213']) {
      const payout = to(digits);
      await provider.submit(payout);
      await goOn(MINUTE_MS);
      expect([digits, (await provider.query(payout)).outcome]).toEqual([digits, 'query_failed']);
    }
  });

  it('reads the same payment in each way that a record may write it', async () => {
    for (const digits of ['0201', '0209', '0210', '0214', '0215', '0216']) {
      const payout = to(digits);
      await provider.submit(payout);
      await goOn(MINUTE_MS);
      expect([digits, await provider.query(payout)]).toEqual([
        digits,
        expect.objectContaining({ outcome: 'succeeded', receipt: expect.stringMatching(/\S/) }),
      ]);
    }
  });

  it('never says of a lost or strange answer that nothing was taken', async () => {
    const answered = Object.entries(NUMBERS).flatMap(([digits, { answer }]) =>
      answer === undefined ? [] : [{ digits, ...answer }],
    );
    const impatient = merchant.connectTo(chapa, 50);
    for (const { digits, taken, how } of answered) {
      const payout = to(digits);
      const { outcome } = await (how === 'hold' ? impatient : provider).submit(payout);
      // 401 proves that it was not taken.
      const said = how === 'unauthorized' ? ['deferred'] : ['submitted', 'unknown'];
      expect([digits, outcome, said.includes(outcome)]).toEqual([digits, outcome, true]);
      const known = await provider.query(payout);
      expect([digits, known.outcome]).toEqual([digits, taken ? 'submitted' : 'unknown']);
      await goOn(MINUTE_MS);
      const ended = await provider.query(payout);
      expect([digits, ended.outcome === 'succeeded' ? 1 : 0]).toEqual([digits, chapa.paid(payout.attemptId)]);
      if (!taken) expect([digits, ended]).toEqual([digits, expect.objectContaining({ notFound: true })]);
    }
    await impatient.close();
  });

  it('says of money that came back that it is not paid, and of what is paid after all that it is', async () => {
    for (const [digits, first, then] of [
      ['0108', 'succeeded', 'not_paid'],
      ['0107', 'not_paid', 'succeeded'],
      ['0112', 'not_paid', 'succeeded'],
    ] as const) {
      const payout = to(digits);
      await provider.submit(payout);
      await goOn(MINUTE_MS);
      expect([digits, (await provider.query(payout)).outcome]).toEqual([digits, first]);
      await goOn(6 * MINUTE_MS);
      expect([digits, (await provider.query(payout)).outcome]).toEqual([digits, then]);
      expect(chapa.paid(payout.attemptId)).toBe(then === 'succeeded' ? 1 : 0);
    }
  });

  it('ends as not paid, without a route, in each word that there is for it', async () => {
    for (const digits of ['0501', '0502', '0503', '0504', '0505']) {
      const payout = to(digits);
      await provider.submit(payout);
      await goOn(MINUTE_MS);
      expect([digits, await provider.query(payout)]).toEqual([
        digits,
        expect.objectContaining({ outcome: 'not_paid', routeLeft: false }),
      ]);
      expect(chapa.control.payments(payout.attemptId)).toEqual([]);
    }
  });

  it.each([404, 400] as const)('says for as long as it is not found that this proves nothing, told by %s', async (status) => {
    const other = await RunningChapa.start({ notFoundStatus: status });
    merchant.answer(other);
    const adapter = merchant.connectTo(other);
    const payout = to('0206');
    await adapter.submit(payout);
    await other.control.moveClock(0);
    await other.control.moveClock(13 * MINUTE_MS);
    expect(await adapter.query(payout)).toMatchObject({ outcome: 'unknown', notFound: true });
    await other.control.moveClock(2 * MINUTE_MS);
    expect(await adapter.query(payout)).toMatchObject({ outcome: 'succeeded' });
    await adapter.close();
    await other.remove();
  }); // prettier-ignore

  it('ends a call that is refused by whose fault it is, and nothing is taken', async () => {
    const refused = Object.entries(NUMBERS).flatMap(([digits, { rejects }]) =>
      rejects === undefined ? [] : [{ digits, rejects }],
    );
    for (const { digits, rejects } of refused) {
      const payout = to(digits);
      const answer = await provider.submit(payout);
      const said = 'reason' in answer ? answer.reason : 'code' in answer ? answer.code : answer.outcome;
      expect([rejects, said]).toEqual([rejects, REFUSED_AS[rejects] ?? 'config']);
      expect(await provider.query(payout)).toMatchObject({ outcome: 'unknown', notFound: true });
    }
  });

  it('tells the balances by the rules that it says they follow', async () => {
    const balance = async (): Promise<bigint | undefined> => {
      const told = await provider.balances();
      return told.outcome === 'told' ? told.balances[0]?.amount.minor : undefined;
    };
    expect(provider.capabilities.debitsAt).toBe('acceptance');
    expect(await balance()).toBe(1_000_000_000n);
    for (const digits of ['1234', '0501']) await provider.submit(to(digits));
    expect(await balance()).toBe(999_700_000n);
    await goOn(MINUTE_MS);
    expect(await balance()).toBe(999_850_000n);
  });

  it('lists each end of ours once in the list of all transfers, over its pages', async () => {
    const payouts = [...Array.from({ length: 12 }, () => to('1234')), to('0501')];
    for (const payout of payouts) await provider.submit(payout);
    await goOn(MINUTE_MS);
    const [first, second] = [await provider.statement(null), await provider.statement('2')];
    expect([first?.more, first?.next, second?.more]).toEqual([true, '2', false]);
    const told = [...(first?.entries ?? []), ...(second?.entries ?? [])];
    expect(told.map(({ attemptId }) => attemptId).sort()).toEqual(payouts.map(({ attemptId }) => attemptId).sort());
    expect(told.filter(({ event }) => event === 'not_paid')).toHaveLength(1);
  });

  describe('asked before it pays', () => {
    const DIFFERENT = { '0604': 'amount', '0605': 'account number', '0614': 'bank' } as const;

    it('refuses another amount, recipient or bank, and nothing is paid', async () => {
      for (const [digits, why] of Object.entries(DIFFERENT)) {
        const payout = to(digits);
        await provider.submit(payout);
        await goOn(MINUTE_MS);
        expect([digits, merchant.refused.splice(0)]).toEqual([digits, [why]]);
        expect([digits, chapa.control.payments(payout.attemptId)]).toEqual([digits, []]);
        expect(await provider.query(payout)).toMatchObject({ outcome: 'not_paid', routeLeft: false });
      }
    });

    it('refuses a question that is forged, altered, not signed, or signed as a constant, and nothing is paid', async () => {
      for (const digits of ['0606', '0607', '0608', '0613']) {
        const payout = to(digits);
        await provider.submit(payout);
        await goOn(MINUTE_MS);
        expect([digits, merchant.refused.splice(0)]).toEqual([digits, ['not signed']]);
        expect([digits, chapa.control.payments(payout.attemptId)]).toEqual([digits, []]);
      }
    });

    it('approves what was instructed, whoever else asks', async () => {
      for (const digits of ['1234', '0602', '0603', '0609', '0610', '0611', '0615', '0617']) {
        const payout = to(digits);
        await provider.submit(payout);
        await goOn(11 * MINUTE_MS);
        await goOn(MINUTE_MS);
        expect([digits, chapa.paid(payout.attemptId)]).toEqual([digits, 1]);
        expect([digits, (await provider.query(payout)).outcome]).toEqual([digits, 'succeeded']);
      }
      expect(merchant.refused).toEqual(['not signed', 'unknown', 'amount']);
    });

    it('signs its questions by a constant where the account does: refused unless that is said', async () => {
      const other = await RunningChapa.start({ approval: { signs: 'secret' } });
      merchant.answer(other);
      const adapter = merchant.connectTo(other);
      const payout = to('1234');
      await adapter.submit(payout);
      await other.control.moveClock(0);
      await other.control.moveClock(MINUTE_MS);
      expect(await adapter.query(payout)).toMatchObject({ outcome: 'not_paid', detail: 'reverted' });
      expect(other.control.payments(payout.attemptId)).toEqual([]);
      await adapter.close();
      await other.remove();
    });
  });

  describe('called back', () => {
    /** Submits, and reads what is heard within an hour when it is heard. */
    async function readOf(payout: PayoutInstruction): Promise<CallbackReading[]> {
      const { webhooks } = chapa;
      const readings: CallbackReading[] = [];
      let read = webhooks.heard.length;
      await provider.submit(payout);
      for (const stepMs of [0, 2 * SECOND_MS, 2 * MINUTE_MS, 12 * MINUTE_MS, 50 * MINUTE_MS]) {
        await chapa.control.moveClock(stepMs);
        for (const heard of webhooks.heard.slice(read)) readings.push(await provider.parseCallback(asReceived(heard)));
        read = webhooks.heard.length;
      }
      return readings;
    }

    it('takes as signed what Chapa signed, and reads the end that its record has', async () => {
      for (const digits of ['1234', '0302', '0303', '0304', '0309', '0310', '0311', '0314', '0322', '0501', '0503', '0107']) {
        const payout = to(digits);
        const readings = await readOf(payout);
        expect([digits, readings.length > 0, readings.every(({ signed }) => signed)]).toEqual([digits, true, true]);
        for (const { attemptIds } of readings) expect([digits, attemptIds]).toEqual([digits, [payout.attemptId]]);
        const said = readings.at(-1)?.answerFor(payout).outcome;
        expect([digits, said]).toEqual([digits, (await provider.query(payout)).outcome]);
      }
    }); // prettier-ignore

    it('never takes as signed what is forged, altered, or signed as a constant: it is a hint', async () => {
      const unsigned = Object.entries(NUMBERS).filter(([, { webhooks = [] }]) =>
        webhooks.some(({ signing }) => FORGERIES.includes(signing)),
      );
      expect(unsigned.length).toBeGreaterThan(6);
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

    it('takes a signed one about another transfer, amount or recipient for no payment of this', async () => {
      const stranger = to('0317');
      const [first, second] = await readOf(stranger);
      expect(first?.attemptIds).toEqual([]);
      expect(first?.answerFor(stranger)).toMatchObject({ outcome: 'query_failed' });
      expect(second?.answerFor(stranger)).toMatchObject({ outcome: 'succeeded' });
      for (const digits of ['0319', '0320']) {
        const payout = to(digits);
        expect([digits, (await readOf(payout))[0]?.answerFor(payout).outcome]).toEqual([digits, 'mismatch']);
      }
    });
  });
});
