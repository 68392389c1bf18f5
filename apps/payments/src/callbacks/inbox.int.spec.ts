import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { attemptTokenOf } from '@vuka/payouts';
import { armCrashPoint, type CrashPoint, type Logger } from '@vuka/runtime';

import { StaleAlerts } from '../due-work/stale-alerts.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { paid, SUBMITTED } from '../testing/provider-answers.spec-support.js';
import { CallbackHarness, CallingProvider, TOKEN } from './callback-harness.spec-support.js';
import { PATIENCE_MS } from './judge-callback.js';
import { KEPT_MS } from './sweep-callbacks.js';
import { MOST_OPEN } from './take-callback.js';

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterEach(async () => {
  armCrashPoint(undefined);
  await pg.db.query('delete from provider_callbacks');
});
afterAll(() => pg.stopWhole());

const STRANGER = '11111111-2222-4333-8444-555555555555';
const HTML = Buffer.from('<!doctype html><html><body>502</body></html>');
const NOT_UTF8 = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x80]);
const MINUTE_MS = 60_000;

async function submitted(...script: ConstructorParameters<typeof CallingProvider>[0]): Promise<CallbackHarness> {
  const trip = await CallbackHarness.started(pg, new CallingProvider(script));
  await trip.call('submit');
  return trip;
}

const base64 = (body: Buffer): { body: string } => ({ body: body.toString('base64') });

describe('what is taken in', () => {
  it('is kept to the byte, sealed', async () => {
    const trip = await submitted(SUBMITTED);
    const headers: [string, string][] = [
      ['Signature', 'sig-pp=:AAAA:'],
      ['X-Twice', 'a'],
      ['x-twice', 'b'],
    ];
    expect(await trip.take({ ...base64(NOT_UTF8), headers, path: '/callbacks/x?y=%41' })).toMatchObject({ ok: true });
    const [row] = await pg.db.query<object>('select * from provider_callbacks');
    const text = JSON.stringify(row);
    for (const secret of [TOKEN, 'Signature', NOT_UTF8.toString('base64')]) expect(text).not.toContain(secret);
    await trip.handle();
    const [read] = trip.provider.read;
    expect(read).toMatchObject({
      method: 'POST',
      host: 'vuka.example.com',
      path: '/callbacks/x?y=%41',
      headers: { Signature: ['sig-pp=:AAAA:'], 'X-Twice': ['a'], 'x-twice': ['b'] },
      receivedAt: trip.clock.now(),
    });
    expect(Buffer.from(read?.body ?? [])).toEqual(NOT_UTF8);
  });

  it.each([
    ['HTML', HTML],
    ['bytes that are no text', NOT_UTF8],
    ['nothing', Buffer.alloc(0)],
    ['64 KiB', Buffer.alloc(65_536, 0x5b)],
  ])('may be anything, and changes nothing: %s', async (_, body) => {
    const trip = await submitted(SUBMITTED);
    expect(await trip.take(base64(body))).toEqual({ ok: true, value: { answer: '{}' } });
    await trip.handle();
    expect([await trip.outcomes(), await trip.state(), await trip.call('poll')]).toEqual([
      ['unreadable'],
      'SUBMITTED',
      0,
    ]);
  });

  it('is one row for the same body of one attempt, and another for another', async () => {
    const trip = await submitted(SUBMITTED);
    const of = (id: string): { attempt_token: string } => ({ attempt_token: attemptTokenOf(TOKEN, id) });
    await trip.take({ ...base64(HTML), ...of(await trip.attemptId()) });
    await trip.take({ ...base64(HTML), ...of(await trip.attemptId()) });
    await trip.take({ ...base64(HTML), ...of(STRANGER) });
    await trip.take(base64(HTML));
    expect((await trip.kept()).map(({ times }) => times)).toEqual([2, 1, 1]);
  });

  it('is nothing of a wrong provider, token or attempt', async () => {
    const trip = await submitted(SUBMITTED);
    const refused = {
      ok: false,
      error: { code: 'not_found', message: 'No provider has this path' },
    };
    const wrong = [
      { provider: 'other' },
      { token: 'c3'.repeat(32) },
      { attempt_token: attemptTokenOf('c3'.repeat(32), await trip.attemptId()) },
      { provider: 'other', attempt_token: attemptTokenOf(TOKEN, await trip.attemptId()) },
    ];
    for (const one of wrong) expect(await trip.take(one)).toEqual(refused);
    const silent = new CallbackHarness(pg, new ScriptedProvider([]) as CallingProvider);
    expect(await silent.take()).toEqual(refused);
    expect(await trip.kept()).toEqual([]);
  });

  it('is refused where too much waits already, so that no sender fills the disk', async () => {
    const trip = await submitted(SUBMITTED);
    await pg.db.query(
      `insert into provider_callbacks (provider, body_index, sealed, received_at, last_received_at, due_at)
       select 'sandbox', n::text, '', now(), now(), now() + interval '1 day' from generate_series(1, $1) n`,
      [MOST_OPEN],
    );
    expect(await trip.take()).toMatchObject({ ok: false, error: { code: 'service_unavailable' } });
    await pg.db.query('delete from provider_callbacks');
    expect(await trip.take()).toMatchObject({ ok: false });
    trip.clock.advance(10_000);
    expect(await trip.take()).toMatchObject({ ok: true });
  });
});

describe('an id that nobody knows', () => {
  function pager(trip: CallbackHarness): { alarms: Record<string, unknown>[]; run(): Promise<void> } {
    const alarms: Record<string, unknown>[] = [];
    const log = { error: (fields: Record<string, unknown>) => alarms.push(fields) } as unknown as Logger;
    const alerts = new StaleAlerts(pg.db, trip.clock, log);
    return { alarms, run: () => alerts.run() };
  }

  it('is looked at again for ten minutes, then pages until people have seen to it, and is never lost', async () => {
    const trip = await submitted(SUBMITTED);
    const { alarms, run } = pager(trip);
    const codes = (): unknown[] =>
      alarms
        .splice(0)
        .flatMap(({ code, callbacks, signed }) =>
          code === 'callback_unknown_payment' ? [[code, callbacks, signed]] : [],
        );
    await trip.calledBack({ id: STRANGER });
    await trip.calledBack({ id: STRANGER, signed: false });
    let looks = 0;
    for (let seconds = 0; seconds < PATIENCE_MS / 1_000; seconds += 1) {
      looks += await trip.handle();
      if (seconds % 60 === 0) await run();
      expect(await trip.outcomes()).toEqual([null, null]);
      trip.clock.advance(1_000);
    }
    expect([looks > 20, looks < 60, codes()]).toEqual([true, true, []]);
    await trip.handle();
    expect(await trip.outcomes()).toEqual(['unknown', 'unknown']);
    await run();
    await trip.sweeper.run();
    expect(codes()).toEqual([['callback_unknown_payment', 2, 1]]);
    trip.clock.advance(KEPT_MS * 10);
    await trip.sweeper.run();
    await run();
    expect([codes(), await trip.outcomes()]).toEqual([[['callback_unknown_payment', 2, 1]], ['unknown', 'unknown']]);
    await pg.db.query(`update provider_callbacks set resolved_at = $1, resolved_by = 'Ann'`, [trip.clock.now()]);
    await run();
    trip.clock.advance(KEPT_MS + 1);
    await trip.sweeper.run();
    expect([codes(), await trip.kept()]).toEqual([[], []]);
  });

  it('is handled once it is known: what is not sent yet is not called back', async () => {
    const trip = await CallbackHarness.started(pg, new CallingProvider([SUBMITTED]));
    await trip.calledBack();
    await trip.handle();
    expect([await trip.state(), await trip.outcomes()]).toEqual(['SUBMITTING', [null]]);
    await trip.call('submit');
    await trip.handle(1_000);
    expect([await trip.state(), await trip.outcomes()]).toEqual(['COMPLETE', ['recorded']]);
  });

  it('is that of another provider’s attempt, too', async () => {
    const other = await submitted(SUBMITTED);
    const trip = new CallbackHarness(pg, new CallingProvider([], true, 'sandbox_b'));
    await trip.calledBack({ id: await other.attemptId() });
    await trip.handle();
    await trip.handle(PATIENCE_MS);
    expect([await trip.outcomes(), await other.state()]).toEqual([['unknown'], 'SUBMITTED']);
  });
});

describe('a process that dies', () => {
  const dieAt = (point: CrashPoint): void =>
    armCrashPoint({ point, time: 1 }, () => {
      armCrashPoint(undefined);
      throw new Error(`died at ${point}`);
    });

  it('between store and answer has stored it: the repeat is counted', async () => {
    const trip = await submitted(SUBMITTED);
    dieAt('payments.callback-stored');
    await expect(trip.calledBack()).rejects.toThrow(/died/);
    await trip.calledBack();
    expect(await trip.kept()).toMatchObject([{ outcome: null, times: 2 }]);
    await trip.handle();
    expect(await trip.state()).toBe('COMPLETE');
  });

  it.each([
    'payments.callback-read',
    'payments.before-commit',
    'payments.after-record',
    'payments.callback-recorded',
  ] as const)('at %s leaves it to whoever is next, and the payout is completed once', async (point) => {
    const trip = await submitted(SUBMITTED, paid('R1'));
    await trip.calledBack();
    dieAt(point);
    await expect(trip.handle()).rejects.toThrow();
    expect(await trip.handle()).toBe(0);
    await trip.handle(31_000);
    await trip.handle(2_000);
    expect([await trip.state(), (await trip.posted()).filter((kind) => kind === 'payout_settled').length]).toEqual([
      'COMPLETE',
      1,
    ]);
    expect(['recorded', 'known']).toContain((await trip.outcomes())[0]);
  });

  it('again and again at one callback gives it up after ten minutes; a poll ends its payout', async () => {
    const trip = await submitted(SUBMITTED, paid('R1'));
    trip.provider.whileReading = () => Promise.reject(new Error('a bug of the adapter'));
    await trip.calledBack();
    await expect(trip.handle()).rejects.toThrow(/a bug/);
    await trip.handle(PATIENCE_MS);
    expect(await trip.outcomes()).toEqual(['failed']);
    expect([await trip.call('poll'), await trip.state()]).toEqual([1, 'COMPLETE']);
  });
});

describe('what is counted', () => {
  it('is what came, what became of it, how old the oldest is, and what was lost', async () => {
    const lost = await submitted(SUBMITTED, paid('R1'));
    const called = await submitted(SUBMITTED, paid('R1'));
    for (const trip of [lost, called]) {
      trip.clock.advance(1_000);
      const [attempt] = await trip.claim('poll');
      if (attempt === undefined) throw new Error('nothing was claimed');
      await trip.caller.run('poll', attempt);
      trip.lost.note(attempt);
      await trip.sweeper.run();
      trip.clock.advance(2 * MINUTE_MS);
      if (trip === called) await trip.calledBack();
      trip.clock.advance(14 * MINUTE_MS);
      await trip.sweeper.run();
      if (trip === called)
        expect(await trip.metric('vuka_callbacks_oldest_seconds')).toMatch(/provider="sandbox".* 840$/);
      await trip.handle();
      await trip.sweeper.run();
    }
    const ofSandbox = (metrics: (string | undefined)[]): (string | undefined)[] =>
      metrics.map((line) => line?.replace(/^.* /, ''));
    expect(
      ofSandbox([
        await lost.metric('vuka_callbacks_lost_total{provider="sandbox"'),
        await called.metric('vuka_callbacks_received_total{provider="sandbox",what="new"'),
        await called.metric('vuka_callbacks_handled_total{provider="sandbox",outcome="known"'),
        await called.metric('vuka_callbacks_oldest_seconds{provider="sandbox"'),
      ]),
    ).toEqual(['1', '1', '1', '0']);
  });

  it('is asked for again where it was lost, once, and whether it came then', async () => {
    const trips = [];
    for (const answer of ['resent', 'resent', 'refused', 'failed'] as const) {
      const trip = await submitted(SUBMITTED, paid('R1'));
      trip.provider.resendAnswer = answer === 'resent' ? { outcome: answer } : { outcome: answer, detail: 'X' };
      trip.clock.advance(1_000);
      const [attempt] = await trip.claim('poll');
      if (attempt === undefined) throw new Error('nothing was claimed');
      await trip.caller.run('poll', attempt);
      trip.lost.note(attempt);
      trip.clock.advance(15 * MINUTE_MS);
      for (let sweeps = 0; sweeps < 3; sweeps++) await trip.sweeper.run();
      expect(trip.provider.resent).toEqual([await trip.attemptId()]);
      if (trips.length === 0) await trip.calledBack();
      await trip.handle();
      trip.clock.advance(15 * MINUTE_MS);
      for (let sweeps = 0; sweeps < 3; sweeps++) await trip.sweeper.run();
      expect(trip.provider.resent).toHaveLength(1);
      expect(await trip.state()).toBe('COMPLETE');
      trips.push(trip);
    }
    const told = await Promise.all(trips.map((trip) => trip.metric('vuka_callbacks_resent_total{')));
    expect(told.map((line) => /what="(\w+)".* (\d+)$/.exec(line ?? '')?.slice(1))).toEqual([
      ['came', '1'],
      ['silent', '1'],
      ['refused', '1'],
      ['failed', '1'],
    ]);
  });

  it('goes when it is handled and a week old', async () => {
    const trip = await submitted(SUBMITTED);
    await trip.calledBack();
    await trip.handle();
    await trip.sweeper.run();
    expect(await trip.outcomes()).toEqual(['recorded']);
    trip.clock.advance(KEPT_MS + 1);
    await trip.sweeper.run();
    expect(await trip.kept()).toEqual([]);
  });
});
