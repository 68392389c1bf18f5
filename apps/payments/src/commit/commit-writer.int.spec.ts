import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accountName } from '@vuka/domain';
import type { Database } from '@vuka/persistence';
import { ManualClock, systemClock, uuidv7, WakeSignal } from '@vuka/runtime';
import { until as eventuallyTrue } from '@vuka/testing';

import { silent, startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { AttemptClaims } from '../transactions/attempt-claims.store.js';
import { CommitWriter } from './commit-writer.js';
import { acceptance, failure, kes, opening } from './commits.spec-support.js';
import type { CommitOutcome } from './payment-commit.js';

let pg: PaymentsDatabase;
let nextPartner = 1;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);

afterAll(() => pg.stopWhole());

const eventually = (condition: () => boolean): Promise<unknown> =>
  eventuallyTrue(condition, { withinMs: 10_000, what: 'the writer tries again' });
const writerOn = (db: Database): CommitWriter => new CommitWriter(db, systemClock, silent, new WakeSignal());

async function partnerWith(writer: CommitWriter, amount: bigint): Promise<number> {
  const partner = nextPartner++;
  expect(await writer.commit(opening(partner, amount), 'background')).toEqual({ outcome: 'ok' });
  return partner;
}

async function balance(name: string): Promise<bigint> {
  const [row] = await pg.db.query<{ minor: string }>(
    'select balance_minor::text as minor from accounts where name = $1',
    [name],
  );
  return BigInt(row?.minor ?? -1);
}

const count = (outcomes: readonly CommitOutcome[], outcome: CommitOutcome['outcome']): number =>
  outcomes.filter((each) => each.outcome === outcome).length;

describe('a batch of moves', () => {
  it('accepts exactly what the balance covers, in any order', async () => {
    const writer = writerOn(pg.db);
    const partner = await partnerWith(writer, 100_00n);
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, () => writer.commit(acceptance(partner, 1_00n), 'foreground')),
    );
    expect([count(outcomes, 'ok'), count(outcomes, 'insufficient')]).toEqual([100, 100]);
    expect(await balance(accountName.wallet(partner, 'KES'))).toBe(0n);
    expect(await balance(accountName.held(partner, 'KES'))).toBe(100_00n);
  });

  it('rejects a commit without enough balance alone, and stores nothing of it', async () => {
    const writer = writerOn(pg.db);
    const partner = await partnerWith(writer, 50_00n);
    const [small, poor, other] = [
      acceptance(partner, 20_00n),
      acceptance(partner, 40_00n, 'poor'),
      acceptance(partner, 30_00n),
    ];
    const outcomes = await Promise.all([small, poor, other].map((move) => writer.commit(move, 'foreground')));
    expect(outcomes.map((each) => each.outcome)).toEqual(['ok', 'insufficient', 'ok']);
    for (const table of [
      'transactions where id',
      'destinations where transaction_id',
      'holds where transaction_id',
      'postings where transaction_id',
      'transaction_keys where transaction_id',
      'transitions where transaction_id',
    ]) {
      expect(await pg.db.query(`select 1 from ${table} = $1`, [poor.transactionId])).toEqual([]);
    }
    await writer.commit(failure(small), 'background');
    expect(await writer.commit(acceptance(partner, 20_00n, 'poor', 'v1:other'), 'foreground')).toEqual({
      outcome: 'ok',
    });
  });

  it('takes one reference once, from one process and from two', async () => {
    const [here, there] = [writerOn(pg.db), writerOn(await pg.connect())];
    const partner = await partnerWith(here, 100_00n);
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        (i % 2 ? here : there).commit(acceptance(partner, 10_00n, 'once'), 'foreground'),
      ),
    );
    expect([count(outcomes, 'ok'), count(outcomes, 'exists')]).toEqual([1, 99]);
    expect(new Set(outcomes.flatMap((each) => ('transactionId' in each ? [each.transactionId] : []))).size).toBe(1);
    expect(await balance(accountName.wallet(partner, 'KES'))).toBe(90_00n);
    expect((await here.commit(acceptance(partner, 10_00n, 'once', 'v1:other'), 'foreground')).outcome).toBe(
      'exists_different',
    );
  });

  it('judges a second use of a reference afresh when the first was poor in the same batch', async () => {
    const writer = writerOn(pg.db);
    const partner = await partnerWith(writer, 10_00n);
    const outcomes = await Promise.all([
      writer.commit(acceptance(partner, 11_00n, 'again', 'v1:a'), 'foreground'),
      writer.commit(acceptance(partner, 10_00n, 'again', 'v1:b'), 'foreground'),
    ]);
    expect(outcomes.map((each) => each.outcome)).toEqual(['insufficient', 'ok']);
  });

  it('commits one of two moves that saw the same state', async () => {
    const [here, there] = [writerOn(pg.db), writerOn(await pg.connect())];
    const partner = await partnerWith(here, 100_00n);
    const accepted = Array.from({ length: 40 }, () => acceptance(partner, 1_00n));
    await Promise.all(accepted.map((move) => here.commit(move, 'foreground')));
    const outcomes = await Promise.all(
      accepted.flatMap((move) => [here.commit(failure(move), 'background'), there.commit(failure(move), 'background')]),
    );
    expect([count(outcomes, 'ok'), count(outcomes, 'stale')]).toEqual([40, 40]);
    expect(await balance(accountName.wallet(partner, 'KES'))).toBe(100_00n);
  });

  it('recognises a commit that it made before', async () => {
    const writer = writerOn(pg.db);
    const partner = await partnerWith(writer, 10_00n);
    const accepted = acceptance(partner, 1_00n);
    const failed = failure(accepted);
    for (const move of [accepted, accepted, failed, failed, opening(partner, 10_00n)]) {
      const { outcome } = await writer.commit(move, 'background');
      expect(outcome).toBe(move.transactionId === null ? 'exists' : 'ok');
    }
    expect(await balance(accountName.wallet(partner, 'KES'))).toBe(10_00n);
  });

  it('rejects a malformed move and commits its neighbours', async () => {
    const writer = writerOn(pg.db);
    const partner = await partnerWith(writer, 10_00n);
    const good = acceptance(partner, 1_00n);
    const bad = { ...acceptance(partner, 1_00n), hold: { open: kes(0n), partnerId: partner } };
    const [first, second] = await Promise.allSettled([
      writer.commit(bad, 'foreground'),
      writer.commit(good, 'foreground'),
    ]);
    expect(first.status).toBe('rejected');
    expect(second).toEqual({ status: 'fulfilled', value: { outcome: 'ok' } });
    expect(await balance(accountName.held(partner, 'KES'))).toBe(1_00n);
  });

  it('refuses to close a hold twice, whoever asks', async () => {
    const writer = writerOn(pg.db);
    const partner = await partnerWith(writer, 10_00n);
    const accepted = acceptance(partner, 1_00n);
    await writer.commit(accepted, 'foreground');
    await writer.commit(failure(accepted), 'background');
    const again = {
      ...failure(accepted),
      expectedSequence: 2,
      life: { ...failure(accepted).life!, sequence: 3 },
      postings: [],
    };
    await expect(writer.commit(again, 'background')).rejects.toThrow(/holds nothing/);
  });
});

describe('a connection that is lost', () => {
  it('during commits loses nothing and doubles nothing', async () => {
    const writer = writerOn(await pg.connect());
    const partner = await partnerWith(writer, 1_000_00n);
    let done = false;
    const moves = Array.from({ length: 400 }, () => acceptance(partner, 1_00n));
    const work = Promise.all(
      moves.map(async (move, i) => {
        for (let wait = 0; wait < i % 40; wait++) await new Promise((resolve) => setImmediate(resolve));
        return writer.commit(move, 'foreground');
      }),
    ).finally(() => {
      done = true;
    });
    let killed = 0;
    while (!done) {
      const rows = await pg.db.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like '%commit_batch%' and state = 'active' and pid <> pg_backend_pid()`,
      );
      killed += rows.length;
      if (killed >= 3) break;
    }
    const outcomes = await work;
    expect(killed).toBeGreaterThan(0);
    expect(count(outcomes, 'ok')).toBe(400);
    const [row] = await pg.db.query<{ n: string }>('select count(*) as n from transactions where partner_id = $1', [
      partner,
    ]);
    expect(Number(row?.n)).toBe(400);
    expect(await balance(accountName.wallet(partner, 'KES'))).toBe(600_00n);
  }, 30_000);
});

describe('a first move whose caller waits no more', () => {
  it('is not committed when the database is back: another process may have refused the repeat', async () => {
    const clock = new ManualClock(new Date());
    let isAway = false;
    let asked = 0;
    const query: Database['query'] = async (...statement) => {
      asked += 1;
      if (isAway) throw Object.assign(new Error('the link is cut'), { code: 'ECONNRESET' });
      return pg.db.query(...statement);
    };
    const writer = new CommitWriter({ query } as Database, clock, silent, new WakeSignal());
    const partner = await partnerWith(writer, 10_00n);
    isAway = true;
    const until = clock.now().getTime() + 2_000;
    const [inBatch, dueWork] = [acceptance(partner, 1_00n), acceptance(partner, 1_00n)];
    const outcomes = Promise.allSettled([
      writer.commit(inBatch, 'foreground', until),
      writer.commit(dueWork, 'background'),
    ]);
    const queued = writer.commit(acceptance(partner, 1_00n), 'foreground', until).catch((error: unknown) => error);
    await eventually(() => asked >= 3);
    clock.advance(2_000);
    await eventually(() => asked >= 5);
    isAway = false;
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(await queued).toBeInstanceOf(Error);
    expect(await pg.db.query('select id::int from transactions where partner_id = $1', [partner])).toEqual([
      { id: dueWork.transactionId },
    ]);
  }, 20_000);
});

describe('a move that waits behind a batch that takes too long', () => {
  it('is refused before any work, and says so: its caller gave up or asks again', async () => {
    const clock = new ManualClock(new Date());
    const gates: (() => void)[] = [];
    let isSlow = false;
    const query: Database['query'] = async (...statement) => {
      if (isSlow && statement[0].includes('commit_batch'))
        await new Promise<void>((resolve) => void gates.push(resolve));
      return pg.db.query(...statement);
    };
    const writer = new CommitWriter({ query } as Database, clock, silent, new WakeSignal());
    const partner = await partnerWith(writer, 10_00n);
    isSlow = true;
    const [underWay, old, young] = [acceptance(partner, 1_00n), acceptance(partner, 1_00n), acceptance(partner, 1_00n)];
    const first = writer.commit(underWay, 'background');
    await eventually(() => gates.length === 1);
    const refused = writer.commit(old, 'background').catch((error: unknown) => error);
    clock.advance(14_999);
    const last = writer.commit(young, 'background');
    clock.advance(1);
    isSlow = false;
    gates[0]!();
    expect([await first, await last]).toEqual([{ outcome: 'ok' }, { outcome: 'ok' }]);
    expect(await refused).toMatchObject({ name: 'ServiceUnavailableError', sent: false });
    const ids = await pg.db.query<{ id: number }>(
      'select id::int from transactions where partner_id = $1 order by id',
      [partner],
    );
    expect(ids.map(({ id }) => id)).toEqual([underWay.transactionId, young.transactionId]);
  }, 20_000);
});

describe('a balance that somebody keeps locked', () => {
  it('delays only the commits on it, and they succeed when the lock is released', async () => {
    const writer = writerOn(pg.db);
    const [locked, free] = [await partnerWith(writer, 10_00n), await partnerWith(writer, 10_00n)];
    const order: string[] = [];
    let waiting: Promise<unknown> = Promise.resolve();
    await (
      await pg.connect()
    ).inTransaction(async (tx) => {
      await tx.query('select 1 from accounts where name = $1 for update', [accountName.wallet(locked, 'KES')]);
      waiting = Promise.all(
        [1, 2].map(() =>
          writer.commit(acceptance(locked, 1_00n), 'foreground').then(({ outcome }) => order.push(`locked ${outcome}`)),
        ),
      );
      await writer.commit(acceptance(free, 1_00n), 'foreground').then(({ outcome }) => order.push(`free ${outcome}`));
    });
    await waiting;
    expect(order).toEqual(['free ok', 'locked ok', 'locked ok']);
  }, 20_000);
});

describe('claims', () => {
  it('give a due attempt to one claimer at a time, and again when its lease has run out', async () => {
    const writer = writerOn(pg.db);
    const claims = new AttemptClaims(pg.db);
    const partner = await partnerWith(writer, 10_00n);
    const accepted = acceptance(partner, 1_00n);
    await writer.commit(accepted, 'foreground');
    const at = new Date();
    await writer.commit(
      {
        commitId: uuidv7(),
        transactionId: accepted.transactionId,
        expectedSequence: 1,
        postings: [],
        outbox: [],
        life: { ...accepted.life!, state: 'SUBMITTING', sequence: 2, publicSequence: 1, attemptNo: 1, dueAt: null },
        transitions: [{ from: 'ACCEPTED', to: 'SUBMITTING', event: 'attempt.started', attemptNo: 1, detail: '' }],
        newAttempt: {
          attemptNo: 1,
          providerReference: uuidv7(),
          provider: 'sandbox',
          wallet: 'main',
          state: 'INTENT',
          amount: kes(1_00n),
          nextAt: at,
        },
      },
      'background',
    );
    const later = (ms: number): Date => new Date(at.getTime() + ms);
    const claim = (fromMs: number, untilMs: number) =>
      claims.claim('submit', 'sandbox', { from: later(fromMs), until: later(untilMs), untilMonotonicMs: Infinity }, 10);
    const both = await Promise.all([claim(1, 100), claim(1, 100)]);
    expect(both.flat().map(({ was, fence }) => [was, fence])).toEqual([['INTENT', 1]]);
    expect(await claim(50, 200)).toEqual([]);
    const [again] = await claim(101, 200);
    expect([again?.was, again?.fence]).toEqual(['SENDING', 2]);
  });
});
