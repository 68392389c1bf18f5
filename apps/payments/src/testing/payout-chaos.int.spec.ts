import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CALLBACK_TOKENS } from '@vuka/service-host';
import { drawn } from '@vuka/testing';

import { ResolveIncident } from '../admin/resolve-incident.js';
import { HandleCallback } from '../callbacks/handle-callback.js';
import { TakeCallback } from '../callbacks/take-callback.js';
import { leaseFor } from '../due-work/lease.js';
import { dice, LyingProvider, losingAnswers } from './payout-chaos.spec-support.js';
import { Harness } from './payout-harness.spec-support.js';
import { CONTRADICTS } from '../transactions/stop-conditions.js';
import type { Parts } from './parts.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from './payments-database.spec-support.js';

/**
 * Two payments processes, two providers that contradict themselves, lapsed leases, dropped calls, lost commit
 * answers, wrong hints, callbacks true, late and forged, and people. At the end the ledger equals the providers' books.
 */
let pg: PaymentsDatabase;
let second: PaymentsDatabase['db'];

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  second = await pg.connect();
}, 60_000);
afterAll(() => pg.stop());

const TRANSACTIONS = 80;
const ROUNDS = 60;
const PROVIDERS = ['sandbox', 'sandbox_b'] as const;
const PURPOSES = ['submit', 'poll', 'watch'] as const;

/** Calls delayed by a round. */
const frozen = new WeakMap<Harness, (() => Promise<void>)[]>();

/** Short leases; some claims are used late or never. */
async function work(process: Harness, random: () => number): Promise<void> {
  const late = frozen.get(process) ?? [];
  frozen.set(process, []);
  await Promise.all(late.map((call) => call()));
  for (const due of await process.store.dueForStart(process.clock.now(), 100)) await process.starter.run(due);
  for (const purpose of PURPOSES) {
    for (const provider of PROVIDERS) {
      const claimed = await process.claims.claim(
        purpose,
        provider,
        leaseFor(random() < 0.3 ? 1 : 500, process.clock),
        20,
      );
      const calls = claimed.filter(() => random() >= 0.1).map((attempt) => () => process.caller.run(purpose, attempt));
      const isFrozen = calls.map(() => random() < 0.1);
      frozen.get(process)?.push(...calls.filter((_, n) => isFrozen[n]));
      await Promise.all(calls.filter((_, n) => !isFrozen[n]).map((call) => call()));
    }
  }
  await process.executor.runDue();
  await process.collect();
}

/** Two people settle by the provider's book; a third also tries. */
async function decide(process: Harness, providers: readonly LyingProvider[]): Promise<number> {
  const open = await pg.db.query<{ id: string; reference: string }>(
    `select t.id, a.provider_reference as reference from transactions t join attempts a on a.transaction_id = t.id and a.attempt_no = t.attempt_no
      where t.state in ('IN_DOUBT', 'REVIEW') order by t.updated_at limit 2`,
  );
  let twice = 0;
  for (const { id, reference } of open) {
    const paid = providers.flatMap(({ book }) => book.get(reference) ?? []).find(({ reversed }) => !reversed);
    const proposed = await process.settle.propose({
      transactionId: Number(id),
      outcome: paid ? 'paid' : 'not_paid',
      receipt: paid?.receipt ?? null,
      paid: null,
      evidence: 'the provider’s book',
      by: 'Ann',
    });
    if (!proposed.ok) continue;
    const { settlementId } = proposed.value;
    const approvals = await Promise.all(['Ben', 'Cleo'].map((by) => process.settle.approve({ settlementId, by })));
    if (approvals.filter(({ ok }) => ok).length > 1) twice += 1;
    if (!approvals.some(({ ok }) => ok))
      await process.settle.withdraw({ settlementId, by: 'ada', reason: 'nobody could approve it' });
  }
  return twice;
}

/** Until people resolve a contradiction, nothing more is sent. */
async function pollContradictions({ clock }: Harness): Promise<void> {
  const open = await pg.db.query<{ id: string }>(`select i.id from incidents i where ${CONTRADICTS} order by i.id`);
  for (const { id } of open)
    await new ResolveIncident(pg.db, clock).run(Number(id), 'Ann', 'the provider’s book has no payment of it');
}

async function mislead(process: Harness, provider: LyingProvider, random: () => number): Promise<void> {
  const ids = [...provider.book.keys()].filter(() => random() < 0.2);
  const event = (['paid', 'reversed', 'not_paid'] as const)[Math.floor(random() * 3)] ?? 'paid';
  await process.attempts.hint(
    provider.id,
    ids.map((attemptId) => ({ attemptId, event, receipt: 'made up', isFirst: false })),
    process.clock.now(),
  );
}

const TOKEN = 'a1'.repeat(32);
const callbackParts = new WeakMap<Harness, Parts>();

function callbacksOf(process: Harness): Parts {
  const known = callbackParts.get(process);
  if (known !== undefined) return known;
  const parts = process.partsWith([CALLBACK_TOKENS, new Map(PROVIDERS.map((id) => [id, [TOKEN]]))]);
  callbackParts.set(process, parts);
  return parts;
}

/** Some are handled later, some twice; some die with their handler. */
async function callBack(process: Harness, provider: LyingProvider, random: () => number): Promise<void> {
  const parts = callbacksOf(process);
  const request = { token: TOKEN, attempt_token: null, method: 'POST', host: '', path: '', headers: [] } as const;
  for (const called of provider.calledBack()) {
    const body = Buffer.from(JSON.stringify(called)).toString('base64');
    const taken = await parts.get(TakeCallback).run({ ...request, headers: [], provider: provider.id, body });
    if (!taken.ok) throw new Error(taken.error.message);
  }
  const handler = parts.get(HandleCallback);
  const claimed = await handler.claim(provider, Math.ceil(random() * 20));
  await Promise.all(
    claimed
      .filter(() => random() >= 0.1)
      .flatMap((callback) => (random() < 0.1 ? [callback, callback] : [callback]))
      .map((callback) => handler.run(callback, provider)),
  );
}

/** Providers do nothing new and report everything, until no question is open. */
async function comeToRest(process: Harness, providers: readonly LyingProvider[]): Promise<void> {
  for (const provider of providers) provider.isActing = false;
  for (const { id, book } of providers) {
    const entries = [...book].flatMap(([attemptId, payments]) =>
      payments.map(({ receipt, reversed }) => ({
        attemptId,
        event: reversed ? ('reversed' as const) : ('paid' as const),
        receipt,
        isFirst: false,
      })),
    );
    await process.attempts.hint(id, entries, process.clock.now());
  }
  for (let round = 0; round < 30; round++) {
    process.clock.advance(30_000);
    await work(process, () => 0.5);
    await decide(process, providers);
    await pollContradictions(process);
  }
}

interface Booked {
  readonly id: string;
  readonly state: string;
  readonly standing: number;
  readonly references: readonly string[];
}

describe('payouts in chaos', () => {
  it.each(drawn('payouts in chaos', [1, 2], 1))(
    'end with what the providers have really paid, seed %i',
    async (seed) => {
      const random = dice(seed);
      const providers = [new LyingProvider('sandbox', true, random), new LyingProvider('sandbox_b', false, random)];
      const ids: number[] = [];
      for (let n = 0; n < TRANSACTIONS; n++)
        ids.push((await new Harness(pg, ...(providers as [LyingProvider, LyingProvider])).accepted()).id);
      const processes = [pg.db, second].map(
        (db) => new Harness(losingAnswers(pg, db, random), ...(providers as [LyingProvider, LyingProvider])),
      );
      let approvedTwice = 0;
      for (let round = 0; round < ROUNDS; round++) {
        for (const process of processes) process.clock.advance(150 + Math.floor(random() * 100));
        await Promise.all([
          ...processes.map((process) => work(process, random)),
          mislead(processes[0]!, providers[0]!, random),
          ...providers.map((provider, n) => callBack(processes[n]!, provider, random)),
        ]);
        approvedTwice += await decide(processes[1]!, providers);
      }
      await comeToRest(new Harness(pg, ...(providers as [LyingProvider, LyingProvider])), providers);

      expect(approvedTwice).toBe(0);
      expect(await pg.broken()).toEqual([]);
      const booked = await pg.db.query<Booked>(
        `select t.id, t.state, ((t.state = 'COMPLETE')::integer + (select count(*) from duplicate_payment p where p.transaction_id = t.id and p.unwound_at is null))::integer as standing,
          array(select provider_reference::text from attempts a where a.transaction_id = t.id) as references
         from transactions t where t.id = any($1)`,
        [ids],
      );
      const differ = booked.filter(
        ({ standing, references }) =>
          standing !==
          references
            .flatMap((id) => providers.flatMap(({ book }) => book.get(id) ?? []))
            .filter(({ reversed }) => !reversed).length,
      );
      expect(differ).toEqual([]);
      expect(booked.filter(({ state }) => !['COMPLETE', 'FAILED', 'REVERSED'].includes(state))).toEqual([]);
      // The dice must have produced these cases.
      const outcomes = await pg.db.query<{ outcome: string }>('select distinct outcome from provider_callbacks');
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(expect.arrayContaining(['recorded', 'known', 'asked']));
      expect(providers.flatMap(({ book }) => [...book.values()]).some((payments) => payments.length > 1)).toBe(true);
    },
    120_000,
  );
});
