import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CallContext } from '@vuka/contracts';
import { type Result } from '@vuka/domain';
import type { Database } from '@vuka/persistence';
import { createLogger, uuidv7 } from '@vuka/runtime';
import { openService, type OpenedService } from '@vuka/service-host';
import { testContext } from '@vuka/service-host/test-context';
import { atDepth, until } from '@vuka/testing';

import { payments as paymentsDefinition } from '../payments.js';
import type { PaymentsRoot } from '../payments.root.js';
import {
  NO_JOBS,
  NO_EVENT_BUS,
  startPaymentsDatabase,
  type PaymentsDatabase,
} from '../testing/payments-database.spec-support.js';

/** Has very many rows, and many list requests. */
const BUSY = 1;
const OTHER = 2;
const ROWS = atDepth({ commit: 60_000, whole: 200_000 });
const AT_ONCE = 50;
/** One is read, the others wait. */
const TAKEN = 21;
const PATIENCE_MS = 60_000;

let pg: PaymentsDatabase;
let payments: OpenedService<PaymentsRoot>;
const logged: string[] = [];

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  const log = createLogger('test', {
    level: 'error',
    destination: { write: (line: string) => void logged.push(line) },
  });
  payments = await openService(
    paymentsDefinition,
    testContext({ database: { ...pg.config, lookupsOnly: true }, eventBus: NO_EVENT_BUS, jobs: NO_JOBS, log }),
  );
  for (const partner_id of [BUSY, OTHER])
    await payments.handlers.openSandboxWallets(
      { partner_id, openings: [{ currency: 'KES', amount_minor: '100000000' }] },
      context(),
    );
  await manyRows(pg.db);
  for (const partner of [BUSY, OTHER]) expect(await accept(partner)).toMatchObject({ ok: true });
  await letListsBeHeld(pg.admin);
}, 120_000);

afterAll(async () => {
  await payments.stop();
  await pg.stop();
});

/** None is open. */
async function manyRows(db: Database): Promise<void> {
  await db.query(
    `insert into transactions (id, partner_id, transaction_code, operation, currency, amount_minor, fee_minor, service_fee_minor, request_id, traceparent, state, sequence,
       public_sequence, attempt_no, last_commit_id, message, created_at, updated_at)
     select -n, $1, 'old-' || n, 'disburse', 'KES', 100, 0, 0, 'r', '', 'COMPLETE', 3, 2, 1, $2, '', now() - n * interval '2 minutes', now()
       from generate_series(1, $3::integer) n`,
    [BUSY, uuidv7(), ROWS],
  );
  await db.query('analyze transactions');
}

/** While a partner's advisory lock is held, page reads of its rows wait in the database, and nothing else. */
async function letListsBeHeld(db: Database): Promise<void> {
  await db.query(`
    create function may_be_listed(id bigint) returns boolean language plpgsql as $$ begin
      if current_query() like '%as place%' then perform pg_advisory_xact_lock_shared((select partner_id from transactions t where t.id = may_be_listed.id)); end if;
      return true;
    end $$;
    alter table destinations enable row level security;
    alter table destinations force row level security;
    create policy lists on destinations using (may_be_listed(transaction_id)) with check (true);`);
}

async function holdingLists<T>(partner: number, meanwhile: () => Promise<T>): Promise<T> {
  const holder = await pg.connect();
  return holder.inTransaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [partner]);
    return meanwhile();
  });
}

const context = (): CallContext => ({
  requestId: 'r-1',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  deadline: Date.now() + PATIENCE_MS,
});

function accept(partner: number): Promise<Result<unknown>> {
  return payments.handlers.acceptPayout(
    {
      operation: 'disburse',
      partner_id: partner,
      transaction_code: uuidv7(),
      fingerprint: 'v1:a',
      currency: 'KES',
      amount_minor: '50000',
      fee_minor: '0',
      destination: { kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' },
      callback_url: null,
    },
    context(),
  );
}

const DAY_MS = 86_400_000;

/** Finds few of very many rows. */
const list = (partner: number, deadline = Date.now() + PATIENCE_MS) =>
  payments.handlers.listTransactions(
    {
      partner_id: partner,
      currency: null,
      status: 'PENDING',
      from: new Date(Date.now() - 400 * DAY_MS).toISOString(),
      before: new Date(Date.now() + DAY_MS).toISOString(),
      limit: 1000,
      cursor: null,
    },
    { ...context(), deadline },
  );

/** Connections of the held lists. */
async function holding(): Promise<string[]> {
  const rows = await pg.db.query<{ name: string }>(
    `select application_name as name from pg_locks join pg_stat_activity using (pid) where datname = current_database() and locktype = 'advisory' and not granted`,
  );
  return rows.map(({ name }) => name);
}

const held = async (): Promise<boolean> => (await holding()).length > 0;
const codeOf = (answer: Result<unknown>): string => (answer.ok ? 'ok' : answer.error.code);

describe('while one partner’s lists are read and do not end', () => {
  it('payouts and lists of another partner still work; most of the crowd is refused, without internal errors', async () => {
    const crowd = await holdingLists(BUSY, async () => {
      const asked = Array.from({ length: AT_ONCE }, () => list(BUSY));
      const refused = await Promise.all(asked.slice(TAKEN));
      expect(new Set(refused.map(codeOf))).toEqual(new Set(['rate_limited']));
      await until(held, { withinMs: PATIENCE_MS, what: 'a list is held' });
      expect(await holding()).toEqual(['payments-test lists']);
      // More payouts than connections.
      expect((await Promise.all(Array.from({ length: 20 }, () => accept(OTHER)))).map(codeOf)).toEqual(
        Array(20).fill('ok'),
      );
      expect(await list(OTHER)).toMatchObject({ ok: true, value: { next_cursor: null } });
      expect(
        await payments.handlers.walletStatement(
          {
            partner_id: OTHER,
            currency: 'KES',
            from: '2026-01-01T00:00:00.000Z',
            before: '9000-01-01T00:00:00.000Z',
            limit: 1,
            cursor: null,
          },
          context(),
        ),
      ).toMatchObject({ ok: true, value: { entries: [{ kind: 'hold' }] } });
      // The database cancels the first in time.
      expect(await asked[0]).toMatchObject({
        ok: false,
        error: { code: 'service_unavailable', message: expect.stringMatching(/fewer days/) },
      });
      return asked.slice(1, TAKEN);
    });
    for (const answer of await Promise.all(crowd)) expect(['ok', 'service_unavailable']).toContain(codeOf(answer));
    const whole = await until(
      async () => {
        const answer = await list(BUSY);
        return answer.ok && answer.value;
      },
      { withinMs: PATIENCE_MS, what: 'the list can be read' },
    );
    expect(whole).toMatchObject({ rows: [{ status: 'PENDING' }], next_cursor: null });
    expect(logged).toEqual([]);
  }, 120_000);

  it('a list without a waiting caller is not read from the database', async () => {
    const late = await holdingLists(BUSY, async () => {
      const first = list(BUSY);
      await until(held, { withinMs: PATIENCE_MS, what: 'a list is held' });
      const behind = await list(BUSY, Date.now() + 300);
      expect(codeOf(await first)).toBe('service_unavailable');
      return behind;
    });
    expect(late).toMatchObject({ ok: false, error: { code: 'service_unavailable', retryAfterS: 1 } });
    expect(await held()).toBe(false);
  }, 120_000);
});

describe('lists of many rows, asked in a crowd', () => {
  it('are whole where they are answered', async () => {
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => list(BUSY)));
    expect(answers.map(codeOf).filter((code) => code === 'rate_limited')).toHaveLength(AT_ONCE - TAKEN);
    for (const answer of answers.filter(({ ok }) => ok))
      expect(answer).toMatchObject({ value: { rows: [{ status: 'PENDING' }], next_cursor: null } });
  }, 120_000);
});
