import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProviderAnswer } from '@vuka/payouts';
import { drawn, until } from '@vuka/testing';

import { HttpProvider } from '../testing/http-provider.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import {
  AMOUNT,
  DEDUPES_FOR_MS,
  FEE,
  FUNDS,
  later,
  LEASE_MS,
  ScriptedProvider,
  startedHarness,
  type Harness,
} from '../testing/payout-harness.spec-support.js';
import { NOT_FOUND, PAID, SUBMITTED, UNKNOWN } from '../testing/provider-answers.spec-support.js';

/** An acknowledged id is never sent again; another only while the provider deduplicates. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

const CALL_MS = new ScriptedProvider([]).capabilities.callTimeoutMs;

const harness = (provider: ScriptedProvider, ...others: ScriptedProvider[]): Promise<Harness> =>
  startedHarness(pg, provider, ...others);

/** Beyond every possible time bound. */
async function pollOn(trip: Harness, times = 5): Promise<void> {
  for (let polls = 0; polls < times; polls++) await later(trip, 'poll', 60_000);
}

async function withProvider(body: (provider: HttpProvider) => Promise<void>, callTimeoutMs?: number): Promise<void> {
  const provider = await HttpProvider.start(callTimeoutMs === undefined ? {} : { callTimeoutMs });
  try {
    await body(provider);
  } finally {
    await provider.stop();
  }
}

describe('a provider that acknowledges an id and forgets it', () => {
  it('is never sent it again: one payment in its book, and IN_DOUBT for people', () =>
    withProvider(async (provider) => {
      const trip = await harness(provider);
      await trip.call('submit');
      expect(await trip.state()).toBe('SUBMITTED');
      provider.server.forget();
      await pollOn(trip);
      expect([await trip.state(), provider.submitted.length, provider.server.receiptsGiven.length]).toEqual([
        'IN_DOUBT',
        1,
        1,
      ]);
      expect([await trip.wallet(), await trip.balance(`held:${trip.partner}:KES`)]).toEqual([
        FUNDS - AMOUNT - FEE,
        AMOUNT + FEE,
      ]);
    }));

  it('that had said no more than that it has the id already: the same', () =>
    withProvider(async (provider) => {
      const trip = await harness(provider);
      // Taken, but the process dies before the answer.
      const [lost] = await trip.claim('submit');
      await provider.server.get('reset');
      await trip.caller.run('submit', lost!);
      await provider.server.get('none');
      expect([await trip.state(), provider.server.receiptsGiven.length]).toEqual(['IN_DOUBT', 1]);
      // The query finds nothing, the repeat is a duplicate, and the next query finds nothing.
      const { taken } = provider.server;
      const kept = [...taken];
      const ask = provider.query.bind(provider);
      provider.query = async (instruction) => {
        taken.clear();
        const answer = await ask(instruction);
        for (const [id, one] of kept) taken.set(id, one);
        return answer;
      };
      await later(trip, 'poll');
      provider.query = ask;
      expect([await trip.state(), provider.submitted.length]).toEqual(['SUBMITTED', 2]);
      provider.server.forget();
      await pollOn(trip);
      expect([await trip.state(), provider.submitted.length, provider.server.receiptsGiven.length]).toEqual([
        'IN_DOUBT',
        2,
        1,
      ]);
    }));

  it('that a lapsed claim alone has heard acknowledge it: the same', () =>
    withProvider(async (provider) => {
      const trip = await harness(provider);
      const answer = provider.server.holdAnswers();
      const [slow] = await trip.claim('submit');
      const calling = trip.caller.run('submit', slow!);
      await until(() => Promise.resolve(provider.server.submits.size === 1), {
        withinMs: 10_000,
        what: 'the provider has the submit',
      });
      trip.clock.advance(LEASE_MS);
      // No answer after the takeover, and then an unknown id.
      const submit = provider.submit.bind(provider);
      provider.submit = () => Promise.resolve(UNKNOWN);
      await trip.call('submit');
      provider.submit = submit;
      expect(await trip.state()).toBe('IN_DOUBT');
      answer();
      await calling;
      provider.server.forget();
      await pollOn(trip);
      expect([await trip.state(), provider.submitted.length, provider.server.receiptsGiven.length]).toEqual([
        'IN_DOUBT',
        1,
        1,
      ]);
    }, 10_000));

  it('and remembers it later is paid once', async () => {
    const trip = await harness(new ScriptedProvider([SUBMITTED, NOT_FOUND, NOT_FOUND, PAID]));
    await trip.call('submit');
    await pollOn(trip, 3);
    expect([await trip.state(), trip.provider!.submitted.length, await trip.posted()]).toEqual([
      'COMPLETE',
      1,
      ['payout_held', 'payout_settled'],
    ]);
  });

  it('with a record of another amount is asked about in REVIEW, and never sent it again', async () => {
    const trip = await harness(new ScriptedProvider([{ outcome: 'mismatch', detail: 'ID_REUSED' }]));
    await trip.call('submit');
    await trip.attempts.checkAtOnce(trip.id, 1, trip.clock.now());
    trip.provider!.will(NOT_FOUND);
    await trip.call('poll');
    expect([await trip.state(), trip.provider!.submitted.length]).toEqual(['REVIEW', 1]);
  });
});

describe('the same id is sent again', () => {
  /** The last moment when the whole call is within the promise, from the first commit of SENDING. */
  const LAST = DEDUPES_FOR_MS - CALL_MS - 1;

  it.each([
    [LAST, 2],
    [LAST + 1, 1],
    [DEDUPES_FOR_MS, 1],
  ])('%i ms after the first submit: %i calls in all, by a poll', async (ms, calls) => {
    const trip = await harness(new ScriptedProvider([UNKNOWN]));
    await trip.call('submit');
    trip.provider!.will(NOT_FOUND, ...(calls > 1 ? [SUBMITTED] : []));
    await later(trip, 'poll', ms);
    expect([await trip.state(), trip.provider!.submitted.length]).toEqual([
      calls > 1 ? 'SUBMITTED' : 'IN_DOUBT',
      calls,
    ]);
  });

  it.each([
    [LAST, 1],
    [LAST + 1, 0],
  ])('%i ms after a submit that was interrupted: %i calls', async (ms, calls) => {
    const trip = await harness(new ScriptedProvider([SUBMITTED]));
    await trip.claim('submit');
    await later(trip, 'submit', ms);
    expect([await trip.state(), trip.provider!.submitted.length]).toEqual([
      calls > 0 ? 'SUBMITTED' : 'IN_DOUBT',
      calls,
    ]);
  });

  it('no longer for having been repeated meanwhile: the first commit of SENDING counts', async () => {
    const trip = await harness(new ScriptedProvider([UNKNOWN]));
    await trip.call('submit');
    trip.provider!.will(NOT_FOUND, UNKNOWN);
    await later(trip, 'poll', DEDUPES_FOR_MS / 2);
    expect(trip.provider!.submitted).toHaveLength(2);
    trip.provider!.will(NOT_FOUND);
    await later(trip, 'poll', DEDUPES_FOR_MS / 2);
    expect([await trip.state(), trip.provider!.submitted.length]).toEqual(['IN_DOUBT', 2]);
  });

  it('never by a clock that was set back to before the first submit', async () => {
    const trip = await harness(new ScriptedProvider([UNKNOWN]));
    await trip.call('submit');
    await pg.db.query(`update attempts set next_at = '2000-01-01' where transaction_id = $1`, [trip.id]);
    trip.provider!.will(NOT_FOUND);
    await later(trip, 'poll', -3_600_000);
    expect(trip.provider!.submitted).toHaveLength(1);
  });

  it('never by a clock that was set back, once the time has passed', async () => {
    const trip = await harness(new ScriptedProvider([UNKNOWN]));
    await trip.call('submit');
    trip.clock.advance(DEDUPES_FOR_MS);
    trip.clock.set(new Date(trip.clock.now().getTime() - DEDUPES_FOR_MS / 2));
    trip.provider!.will(NOT_FOUND);
    expect([await later(trip, 'poll'), trip.provider!.submitted.length]).toEqual([1, 1]);
  });

  it('only so long after it was made, where it was sent before that was kept', async () => {
    const trip = await harness(new ScriptedProvider([UNKNOWN]));
    await trip.call('submit');
    const old = new Date(trip.clock.now().getTime() - DEDUPES_FOR_MS);
    await pg.db.query(
      `update attempts set first_sent_at = null, sent_until = null, created_at = $2 where transaction_id = $1`,
      [trip.id, old],
    );
    trip.provider!.will(NOT_FOUND);
    await later(trip, 'poll');
    expect(trip.provider!.submitted).toHaveLength(1);
  });

  it('never where the provider does not dedupe', async () => {
    const trip = await harness(new ScriptedProvider([UNKNOWN, NOT_FOUND], false));
    await trip.call('submit');
    await later(trip, 'poll');
    expect([await trip.state(), trip.provider!.submitted.length]).toEqual(['IN_DOUBT', 1]);
  });
});

describe('an id that the statement lists', () => {
  it('is not sent again after a call that was interrupted, whatever the line says of it', async () => {
    const trip = await harness(new ScriptedProvider([]));
    const [claimed] = await trip.claim('submit');
    await trip.attempts.hint(
      'sandbox',
      [{ attemptId: claimed!.providerReference, event: 'paid', receipt: 'R1', isFirst: true }],
      trip.clock.now(),
    );
    await later(trip, 'submit', LEASE_MS);
    expect([trip.provider!.submitted.length, await trip.state()]).toEqual([0, 'IN_DOUBT']);
    trip.provider!.will(PAID);
    await later(trip, 'poll');
    expect(await trip.state()).toBe('COMPLETE');
  });

  it('is not sent at all, where we know of no call for it', async () => {
    const trip = await harness(new ScriptedProvider([]));
    const [{ reference } = { reference: '' }] = await pg.db.query<{ reference: string }>(
      'select provider_reference::text as reference from attempts where transaction_id = $1',
      [trip.id],
    );
    await trip.attempts.hint(
      'sandbox',
      [{ attemptId: reference, event: 'paid', receipt: 'R1', isFirst: true }],
      trip.clock.now(),
    );
    await trip.call('submit');
    expect([trip.provider!.submitted.length, await trip.state()]).toEqual([0, 'IN_DOUBT']);
  });
});

/** A provider with kept promises forgets only acknowledged ids. */
const STEPS = ['keeps', 'loses the answer', 'cannot be asked', 'forgets', 'the process dies'] as const;
type Step = (typeof STEPS)[number];

/** Pays for each submit with an id it does not know. */
class ForgetfulProvider extends ScriptedProvider {
  payments = 0;
  heardAck = false;
  submitsAtAck = 0;
  step: Step = 'keeps';
  private knows = false;

  override submit({ attemptId }: { attemptId: string }): Promise<ProviderAnswer> {
    this.submitted.push(attemptId);
    if (!this.knows) this.payments += 1;
    this.knows = true;
    return this.step === 'loses the answer' ? Promise.resolve(UNKNOWN) : this.acknowledges();
  }

  override query(): Promise<ProviderAnswer> {
    if (this.step === 'cannot be asked') return Promise.resolve({ outcome: 'query_failed', detail: 'HTTP 500' });
    if (this.step === 'forgets' && this.heardAck) this.knows = false;
    return this.knows ? this.acknowledges() : Promise.resolve(NOT_FOUND);
  }

  async submitUnheard(attemptId: string): Promise<void> {
    const { heardAck } = this;
    await this.submit({ attemptId });
    this.heardAck = heardAck;
  }

  private acknowledges(): Promise<ProviderAnswer> {
    if (!this.heardAck) this.submitsAtAck = this.submitted.length;
    this.heardAck = true;
    return Promise.resolve(SUBMITTED);
  }
}

const sequences = (length: number): Step[][] =>
  length === 0 ? [[]] : sequences(length - 1).flatMap((rest) => STEPS.map((step) => [...rest, step]));

describe('whatever a provider that keeps its promises does', () => {
  it.each(
    drawn(
      'acknowledged ids',
      sequences(4).map((steps) => [steps.join(', '), steps] as const),
      60,
    ),
  )('%s: it pays once at most, and is sent nothing after it has acknowledged', async (_, steps) => {
    const provider = new ForgetfulProvider([]);
    const trip = await harness(provider);
    for (const step of steps) {
      const [before] = (await trip.attempts.historyOf(trip.id)).attempts;
      const purpose = before?.state === 'SENDING' || before?.state === 'INTENT' ? 'submit' : 'poll';
      provider.step = step;
      const claimed = await trip.claim(purpose);
      // It made no call, or nobody heard the answer.
      if (step === 'the process dies') {
        if (purpose === 'submit' && claimed[0]?.was === 'INTENT')
          await provider.submitUnheard(claimed[0].providerReference);
      } else for (const attempt of claimed) await trip.caller.run(purpose, attempt);
      trip.clock.advance(LEASE_MS + 60_000);
    }
    expect([provider.payments <= 1, provider.heardAck ? provider.submitted.length - provider.submitsAtAck : 0]).toEqual(
      [true, 0],
    );
    expect(['SUBMITTING', 'SUBMITTED', 'IN_DOUBT']).toContain(await trip.state());
    expect(await trip.posted()).toEqual(['payout_held']);
  });
});
