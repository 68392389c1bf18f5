import { setTimeout as pause } from 'node:timers/promises';

import { ledgerCheck, lostAccepts, PartnerLoad, sendOpenOnesAgain, until } from '../../libs/testing/dist/index.js';
import { DepositLoad } from './deposit-load.mjs';

/** About 60 transfers per second from two partners, so a minute's backlog is thousands. */
const LANES = 4;
const REST_MS = 100;
const ENDS_FIRST = 40;
const ROAD_FULL_WITHIN_MS = 60_000;
const FLOWS_WITHIN_MS = 120_000;
const AFTERWARDS_MS = 3_000;

/**
 * The fault happens, is repaired, and partners go on. Then all transfers ever sent on this stack are checked. `faults`
 * must be empty.
 */
export async function runFault({ fixture, surroundings, fault, withDeposits = false, tell }) {
  const { vuka, clients, receiver } = fixture;
  const hooksBefore = receiver.received.length;
  const answers = new Answers();
  const load = new PartnerLoad({
    name: fault.id,
    clients,
    receiver,
    lanes: LANES,
    restMs: REST_MS,
    onAnswer: (status) => answers.count(status),
  });
  const deposits = withDeposits ? new DepositLoad({ name: fault.id, fixture }) : null;
  const faults = [];
  let recoveredMs = null;
  try {
    await until(() => finals(receiver) >= finals(receiver, hooksBefore) + ENDS_FIRST, {
      withinMs: ROAD_FULL_WITHIN_MS,
      what: 'the road is full',
      everyMs: 20,
    });
    answers.begin();
    await fault.happen({ vuka, surroundings, tell });
    recoveredMs = await untilItFlows(fixture, fault.id, faults);
    await pause(AFTERWARDS_MS);
  } catch (error) {
    faults.push(`the fault could not be caused: ${error.message}`);
  } finally {
    await load.stop();
    await deposits?.stop().catch((error) => faults.push(`the load of deposits: ${error.message}`));
  }
  answers.end();
  const ends = await check(fixture, withDeposits ? { unapplied: 'wallet' } : {}, faults, tell);
  const counts = { ...answers.counts(), ...ends, ...hooksOf(receiver, hooksBefore), recoveredMs };
  tell(
    `${counts.accepted} accepted, ${counts.refused503} answered 503, ${counts.unanswered} unanswered; longest without a 200: ${counts.longestGapMs} ms; payouts are paid again after ${recoveredMs ?? '?'} ms`,
  );
  return { id: fault.id, title: fault.title, counts, faults };
}

/** Ms from the end of the fault until a new payout is paid and reported; null: never. */
async function untilItFlows({ one, receiver }, name, faults) {
  const from = performance.now();
  const code = `${name}-probe`;
  const body = {
    amount: 100,
    account_number: '1234567890',
    bank_code: '01',
    reference: code,
    callback_url: receiver.url(),
  };
  const paid = async () => {
    if (!receiver.of(code).some(({ payload }) => payload.status === 'COMPLETE'))
      await one.bankTransfer('KES', body).catch(() => undefined);
    return receiver.of(code).some(({ payload }) => payload.status === 'COMPLETE');
  };
  try {
    await until(paid, { withinMs: FLOWS_WITHIN_MS, what: 'a new payout is paid, with its webhook', everyMs: 100 });
    return Math.round(performance.now() - from);
  } catch (error) {
    faults.push(error.message);
    return null;
  }
}

async function check({ vuka, clients, checker }, rules, faults, tell) {
  const attempt = async (work) => work().catch((error) => void faults.push(error.message));
  await attempt(() => vuka.isWhole());
  await attempt(() => sendOpenOnesAgain(clients));
  const lost = (await attempt(() => lostAccepts(clients))) ?? [];
  if (lost.length > 0) faults.push(`${lost.length} were accepted and are missing; the first is ${lost[0]}`);
  tell('waiting until everything has ended');
  const sound = await attempt(() => checker.expectSound(rules));
  const ledger = await attempt(() => ledgerCheck(vuka));
  if (ledger !== undefined && ledger.code !== 0) faults.push(`the ledger check: ${ledger.output}`);
  return {
    transactions: sound?.transactions ?? null,
    paid: sound?.paid ?? null,
    incomingTransfers: sound?.incomingTransfers ?? null,
    orders: sound?.orders ?? null,
    ledger: ledger?.code === 0,
  };
}

function finals(receiver, end = receiver.received.length) {
  return receiver.received
    .slice(0, end)
    .filter(({ payload }) => payload.status === 'COMPLETE' || payload.status === 'FAILED').length;
}

function hooksOf(receiver, before) {
  const own = receiver.received.slice(before);
  return { webhooks: own.length, webhooksTwice: own.length - new Set(own.map(({ id }) => id)).size };
}

class Answers {
  #byKind = { accepted: 0, refused503: 0, otherErrors: 0, unanswered: 0 };
  #lastAccepted = 0;
  #longestGapMs = 0;
  #isWatching = false;

  begin() {
    this.#lastAccepted = performance.now();
    this.#isWatching = true;
  }

  end() {
    this.#gap();
    this.#isWatching = false;
  }

  count(status) {
    const kind =
      status === null ? 'unanswered' : status === 200 ? 'accepted' : status === 503 ? 'refused503' : 'otherErrors';
    this.#byKind[kind] += 1;
    if (kind === 'accepted') this.#gap();
  }

  counts() {
    return { ...this.#byKind, longestGapMs: Math.round(this.#longestGapMs) };
  }

  #gap() {
    const now = performance.now();
    if (this.#isWatching) this.#longestGapMs = Math.max(this.#longestGapMs, now - this.#lastAccepted);
    this.#lastAccepted = now;
  }
}
