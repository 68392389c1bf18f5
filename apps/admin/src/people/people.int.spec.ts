import { randomUUID } from 'node:crypto';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { acts, ADMIN_RULES, type ApprovalView, reasonGiven, type Role } from '@vuka/contracts';
import { fail, ok, type Result } from '@vuka/domain';
import {
  type Actor,
  type AdminOperations,
  credentialHash,
  newCallContext,
  runTaggedMethod,
  untagged,
  WaitsForApproval,
} from '@vuka/http';
import { type Database, recordAuditEntry } from '@vuka/persistence';
import { TestPostgres, type TestDatabase } from '@vuka/persistence/test-postgres';
import { createLogger, ServiceUnavailableError, systemClock } from '@vuka/runtime';
import { z } from 'zod';

import { gatheredOperations } from '../gathered-operations.js';
import { forEachService } from '../service-calls.js';
import { viewMethods } from '../views/view-methods.js';
import { ADMIN_MIGRATIONS } from './migrations.js';
import { peopleMethods } from './people-methods.js';
import { People } from './people.js';

const log = createLogger('test', { level: 'silent' });
const ANN = 'Ann Otieno';
const BEN = 'Ben Mwangi';
const credentialOf = (name: string): string => `the-credential-of-${name}`.padEnd(43, '-');

let server: TestPostgres;
let database: TestDatabase;
let db: Database;
let people: People;
let asked: ReturnType<typeof gatheredOperations>;
/** What the service has done; `lost`: it does it, and its answer is lost. */
let done: { by: string; approvedBy: string | null }[];
let lost: boolean;
let busy = false;
let now: number;

beforeAll(async () => {
  server = await TestPostgres.start();
}, 60_000);
afterAll(() => server.stop());

beforeEach(async () => {
  database = await server.database([{ name: 'admin' }]);
  db = await database.connect({ migrations: ADMIN_MIGRATIONS, maxConnections: 4 });
  await db.migrate();
  [done, lost, now] = [[], false, Date.now()];
  const clock = { ...systemClock, now: () => new Date(now) };
  const file = [ANN, BEN].map((name) => ({
    name,
    role: 'admin' as const,
    credentialSha256: credentialHash(credentialOf(name)),
  }));
  people = new People({ db, env: 'live', file, clock, log });
  await people.begin();
  asked = gatheredOperations(forEachService(serviceOf), { people, isRunning: true });
});
afterEach(() => database.stop());

/** Records as services do, in a commit of its own. */
function serviceOf(service: string): AdminOperations {
  const act = async (
    { by, reason }: { by: string; reason: string },
    approvedBy: string | null,
  ): Promise<Result<object>> => {
    if (reason === 'refused') return fail({ code: 'invalid_request', message: 'There is no such partner' });
    await db.inTransaction((tx) =>
      recordAuditEntry(tx, { by, act: 'key.issued', partnerId: 7, subject: 'key', reason, at: new Date() }),
    );
    done.push({ by, approvedBy });
    if (lost) throw new ServiceUnavailableError(service, 'the connection was lost', { sent: true });
    return ok({ key: 'vk_live_consumer' });
  };
  return {
    call: (method, args, actor) => {
      if (busy) return Promise.resolve(fail({ code: 'rate_limited', message: 'Too many wait: nothing was done' }));
      const methods = {
        [method]: acts({ reason: reasonGiven, partnerId: z.int().exactOptional() }, (one) =>
          act(one, actor.approvedBy),
        ),
      };
      return runTaggedMethod(methods, method, args, actor);
    },
  };
}

const actorOf = (name: string, role: Role = 'admin'): Actor => ({
  name,
  role,
  approvedBy: null,
  operationId: randomUUID(),
});

async function ask(name: string, service: string, method: string, act: object, role?: Role): Promise<Result<unknown>> {
  const context = newCallContext({ budgetMs: 30_000 }, systemClock);
  const answer = await asked[service]?.call(method, [act], actorOf(name, role), () => true, context);
  if (answer?.ok !== true) return answer ?? fail({ code: 'not_found', message: service });
  return answer.value instanceof WaitsForApproval
    ? ok(answer.value.approval)
    : (untagged(answer.value) as Result<unknown>);
}

async function asksKey(name: string, reason = 'ticket 7'): Promise<ApprovalView> {
  const answer = await ask(name, 'gateway', 'issueKey', { reason, partnerId: 7 });
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value as ApprovalView;
}

const approves = (name: string, { id }: ApprovalView, role?: Role) =>
  ask(name, 'admin', 'approve', { approval: id, signature: null }, role);
const refused = (code: string) => ({ ok: false, error: expect.objectContaining({ code }) });

/** Asked by one and agreed by the other. */
async function made(name: string, by: string, second: string, role: Role = 'admin'): Promise<void> {
  const wish = { name, role, credentialSha256: credentialHash(credentialOf(name)), reason: 'on shift' };
  const answer = await ask(by, 'admin', 'makeOperator', wish);
  if (!answer.ok) throw new Error(answer.error.message);
  expect(await approves(second, answer.value as ApprovalView)).toMatchObject({
    ok: true,
    value: { approval: { state: 'done' } },
  });
}

describe('what needs two people', () => {
  it('waits, says what it does and who can agree, and is done once when another agrees', async () => {
    const approval = await asksKey(ANN);
    expect(approval).toMatchObject({
      id: 'a1',
      operation: 'gateway.issueKey',
      says: expect.stringMatching(/partner 7.*Posts nothing \(ticket 7\)/),
      asked_by: ANN,
      state: 'waiting',
      can_approve: [BEN],
    });
    expect(await asksKey(ANN)).toEqual(approval);
    expect(done).toEqual([]);
    expect(await approves(ANN, approval)).toEqual(refused('forbidden'));
    expect(await approves(BEN, approval)).toMatchObject({
      ok: true,
      value: { approval: { state: 'done', decided_by: BEN }, answer: { ok: true, value: { key: 'vk_live_consumer' } } },
    });
    expect(await approves(BEN, approval)).toEqual(refused('invalid_request'));
    expect(done).toEqual([{ by: ANN, approvedBy: BEN }]);
  });

  it('is done once where the answer was lost: the retry finds it done', async () => {
    const approval = await asksKey(ANN);
    lost = true;
    await expect(approves(BEN, approval)).rejects.toThrow('the connection was lost');
    expect((await people.approvals.list({ open: true, before: null, limit: 10 })).map(({ state }) => state)).toEqual([
      'approved',
    ]);
    lost = false;
    expect(await approves(BEN, approval)).toMatchObject({
      ok: true,
      value: { answer: null, approval: { state: 'done', detail: expect.stringContaining('answer was lost') } },
    });
    expect(done).toHaveLength(1);
  });

  it('is not done by one person with two accounts of the same making, nor by the maker and the made', async () => {
    await made('Cyd', ANN, BEN);
    await made('Dan', ANN, BEN);
    await made('Eve', 'Cyd', BEN);
    for (const [asker, second] of [
      ['Cyd', 'Dan'],
      ['Cyd', ANN],
      [ANN, 'Dan'],
      ['Eve', ANN],
      ['Dan', 'Eve'],
    ] as const) {
      const approval = await asksKey(asker, `${asker} and ${second}`);
      expect(approval.can_approve).toEqual([BEN]);
      expect([asker, second, await approves(second, approval)]).toEqual([asker, second, refused('forbidden')]);
    }
    expect(done).toEqual([]);
  });

  it('ends after seven days, and is over when somebody declines it', async () => {
    const [first, second] = [await asksKey(ANN, 'one'), await asksKey(ANN, 'two')];
    expect(await ask(ANN, 'admin', 'decline', { approval: second.id, reason: 'a mistake' })).toMatchObject({
      ok: true,
      value: { state: 'declined', detail: 'a mistake' },
    });
    expect(await approves(BEN, second)).toEqual(refused('invalid_request'));
    now += 7 * 24 * 60 * 60_000;
    expect(await approves(BEN, first)).toEqual(refused('invalid_request'));
    expect(done).toEqual([]);
  });

  it('is not done for somebody who was shut out meanwhile', async () => {
    await made('Cyd', ANN, BEN);
    const approval = await asksKey('Cyd');
    await ask(ANN, 'admin', 'removeOperator', { name: 'Cyd', reason: 'has left' });
    expect(await approves(BEN, approval)).toEqual(refused('invalid_request'));
    expect(done).toEqual([]);
  });

  it('stays approved where the service is busy, and is done once at the next try', async () => {
    const approval = await asksKey(ANN);
    busy = true;
    expect(await approves(BEN, approval)).toEqual(refused('rate_limited'));
    busy = false;
    expect(done).toEqual([]);
    expect(await approves(BEN, approval)).toMatchObject({ ok: true, value: { approval: { state: 'done' } } });
    expect(done).toHaveLength(1);
  });

  it('that the service refuses is told so, and is over', async () => {
    const approval = await asksKey(ANN, 'refused');
    expect(await approves(BEN, approval)).toMatchObject({
      ok: true,
      value: { approval: { state: 'refused', detail: 'There is no such partner' } },
    });
  });
});

describe('a person', () => {
  it('is let in by two, and shut out by one, at once', async () => {
    await made('Cyd', ANN, BEN, 'support');
    const show = (): Promise<unknown> => people.door.admit(`Bearer ${credentialOf('Cyd')}`);
    expect(await show()).toMatchObject({ name: 'Cyd', role: 'support' });
    expect(await ask(BEN, 'admin', 'removeOperator', { name: 'cyd', reason: 'has left' })).toMatchObject({ ok: true });
    expect(await show()).toBeNull();
    const again = { name: 'CYD', role: 'admin', credentialSha256: 'a'.repeat(64), reason: 'back' };
    const answer = (await ask(ANN, 'admin', 'makeOperator', again)) as { value: ApprovalView };
    expect(await approves(BEN, answer.value)).toMatchObject({ value: { approval: { state: 'refused' } } });
  });

  it('may do what the role may, and no more', async () => {
    expect(await ask('Cyd', 'gateway', 'suspendPartner', { reason: 'r' }, 'viewer')).toEqual(refused('forbidden'));
    expect(await ask('Cyd', 'gateway', 'issueKey', { reason: 'r' }, 'support')).toEqual(refused('forbidden'));
    expect(await approves('Cyd', await asksKey(ANN), 'support')).toEqual(refused('forbidden'));
    expect(await ask('Cyd', 'gateway', 'suspendPartner', { reason: 'r' }, 'support')).toMatchObject({ ok: true });
    expect(await ask(ANN, 'gateway', 'dropTables', {})).toEqual(refused('not_found'));
  });

  it('without a name is nobody in live', async () => {
    const file = [{ name: null, role: 'admin' as const, credentialSha256: credentialHash(credentialOf('folder')) }];
    const admitted = (env: 'live' | 'sandbox') =>
      new People({ db, env, file, clock: systemClock, log }).door.admit(`Bearer ${credentialOf('folder')}`);
    expect(await admitted('live')).toBeNull();
    expect(await admitted('sandbox')).toMatchObject({ name: null });
  });

  it('of the file is taken once: who was shut out does not come back with it', async () => {
    await ask(ANN, 'admin', 'removeOperator', { name: BEN, reason: 'has left' });
    await people.begin();
    expect((await people.operators.list()).map(({ name, state }) => [name, state])).toEqual([
      [ANN, 'in force'],
      [BEN, 'removed'],
    ]);
  });
});

describe('the table of rules', () => {
  it('has a row for every operation of admin itself', () => {
    const own = { ...viewMethods(undefined as never), ...peopleMethods(people, actorOf(ANN), undefined as never) };
    expect(Object.keys(own).filter((name) => !Object.hasOwn(ADMIN_RULES.admin, name))).toEqual([]);
    expect(Object.keys(ADMIN_RULES.admin).filter((name) => !Object.hasOwn(own, name))).toEqual([]);
  });
});
