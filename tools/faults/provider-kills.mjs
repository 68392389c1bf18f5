// payments is killed between claim, call, answer, callback and record, again and again; pawaPay's book is the judge.
import { checkLedger } from '../../apps/payments/dist/index.js';
import { payoutIdOf } from '../../libs/payouts/dist/index.js';
import { until } from '../../libs/testing/dist/index.js';
import { ProviderStage } from './provider-stage.mjs';

const KILLS_AT_EACH = 4;
const PAYOUTS_AT_ONCE = 8;
const DIES_WITHIN_MS = 90_000;
const ENDS_WITHIN_MS = 300_000;
const LOOK_EVERY_MS = 100;
const FUNDS_MINOR = '1000000000';
const ENDED = ['COMPLETE', 'FAILED', 'REVERSED'];
/** Of pawaPay's simulator (behaviour/numbers.ts): all of them end within seconds once they are taken. */
const DIGITS = ['1234', '0001', '0004', '0006', '0016', '0301', '0302', '0303', '0305', '0312', '6089'];

const isPaying = ({ method, url }) => method === 'POST' && url === '/v2/payouts';

/** Each arms its trap for one kill; a `crashAt` is a place where payments kills itself. */
const POINTS = {
  claim: { crashAt: 'payments.after-claim:3' },
  'call, never received': { arm: ({ calls }, kill) => (calls.onCall = once(isPaying, kill, 'drop')) },
  'call, received': { arm: ({ calls }, kill) => (calls.onCall = once(isPaying, kill, 'pass')) },
  answer: { arm: ({ calls }, kill) => (calls.onAnswer = once(isPaying, kill)) },
  'callback, on its way': { arm: ({ callbacks }, kill) => (callbacks.onCall = once(() => true, kill, 'pass')) },
  'callback, kept': { arm: ({ callbacks }, kill) => (callbacks.onAnswer = once(() => true, kill)) },
  'callback, read': { crashAt: 'payments.callback-read:2' },
  'before record': { crashAt: 'payments.before-record:3' },
  'after record': { crashAt: 'payments.after-record:3' },
};

/** As run-fault.mjs: what was seen, and what is wrong. */
export async function playProviderKills({ id, title }, tell) {
  const stage = await ProviderStage.open();
  /** By code: the number that is paid to, and whether it was accepted. */
  const wanted = new Map();
  const faults = [];
  let kills = 0;
  try {
    await stage.openWallet(FUNDS_MINOR);
    const rounds = Array.from({ length: KILLS_AT_EACH }, () => Object.entries(POINTS)).flat();
    for (const [name, point] of rounds) {
      await killAt(stage, point, wanted);
      kills += 1;
      if (kills % Object.keys(POINTS).length === 0)
        tell(`${kills} kills, ${wanted.size} payouts; the last one at: ${name}`);
    }
    await stage.startPayments();
    await untilEnded(stage, wanted);
  } catch (error) {
    faults.push(`the fault could not be caused: ${error.message}`);
  }
  const counts = await judge(stage, wanted, faults).catch((error) => {
    faults.push(error.message);
    return {};
  });
  await stage.close();
  tell(`${kills} kills, ${counts.transactions ?? '?'} payouts, ${counts.paid ?? '?'} paid, each once`);
  return { id, title, counts: { ...NO_TRAFFIC, ...counts }, faults };
}

/** No partners are asked here. */
const NO_TRAFFIC = {
  accepted: '–',
  refused503: 0,
  otherErrors: 0,
  unanswered: '–',
  longestGapMs: null,
  recoveredMs: null,
  webhooks: '–',
  webhooksTwice: '–',
};

/** Payouts come in until payments is dead. It is started again by the next one. */
async function killAt(stage, { crashAt = null, arm }, wanted) {
  if (!stage.paymentsRuns()) await stage.startPayments(crashAt);
  else if (crashAt !== null) {
    await stage.killPayments();
    await stage.startPayments(crashAt);
  }
  arm?.(stage, () => stage.killPayments());
  for (let sent = 0; sent < PAYOUTS_AT_ONCE; sent += 1) {
    const number = wanted.size;
    wanted.set(`kill-${number}`, { digits: DIGITS[number % DIGITS.length], isAccepted: false });
  }
  await sendOpen(stage, wanted);
  await until(() => !stage.paymentsRuns(), {
    withinMs: DIES_WITHIN_MS,
    what: 'payments is dead',
    everyMs: LOOK_EVERY_MS,
  });
  stage.calls.onCall = stage.callbacks.onCall = () => 'pass';
  stage.calls.onAnswer = stage.callbacks.onAnswer = () => undefined;
}

/** What got no answer is sent again by its code. */
async function sendOpen(stage, wanted) {
  await Promise.all(
    [...wanted].map(async ([code, payout]) => {
      if (payout.isAccepted) return;
      payout.isAccepted = await stage.accept({ code, digits: payout.digits }).then(
        () => true,
        () => false,
      );
    }),
  );
}

async function untilEnded(stage, wanted) {
  await until(
    async () => {
      await sendOpen(stage, wanted);
      const [{ open, waiting }] = await stage.db.query(
        `select (select count(*) from transactions where state <> all ($1))::integer as open,
                (select count(*) from provider_callbacks where due_at is not null)::integer as waiting`,
        [ENDED],
      );
      return open + waiting === 0 && [...wanted.values()].every(({ isAccepted }) => isAccepted);
    },
    { withinMs: ENDS_WITHIN_MS, what: 'every payout has ended, and every callback is handled', everyMs: 1_000 },
  );
}

/** By pawaPay's book: no transaction has two payments, and each ended as it was paid. */
async function judge(stage, wanted, faults) {
  const rows = await stage.db.query(
    `select t.transaction_code as code, t.state, array(select a.provider_reference::text from attempts a where a.transaction_id = t.id) as attempts
       from transactions t order by t.id`,
  );
  const { payouts } = await stage.book();
  const paidUnder = new Map(payouts.map(({ payoutId, payments }) => [payoutId, payments.length]));
  let paid = 0;
  for (const { code, state, attempts } of rows) {
    const times = attempts.reduce((sum, attempt) => sum + (paidUnder.get(payoutIdOf(attempt)) ?? 0), 0);
    paid += times;
    const who = `${code}, to ${wanted.get(code)?.digits},`;
    if (times > 1) faults.push(`${who} was paid ${times} times`);
    if (times !== (state === 'COMPLETE' ? 1 : 0)) faults.push(`${who} is ${state} and was paid ${times} times`);
  }
  const booked = [...paidUnder.values()].reduce((sum, times) => sum + times, 0);
  if (booked !== paid) faults.push(`pawaPay paid ${booked - paid} times for nobody`);
  if (rows.length !== wanted.size) faults.push(`${wanted.size} payouts were asked for, and ${rows.length} are there`);
  const ledger = await checkLedger(stage.db);
  for (const { rule, broken } of ledger.checks) if (broken.length > 0) faults.push(`the ledger: ${rule}`);
  return { transactions: rows.length, paid, ledger: ledger.ok };
}

function once(isIt, kill, then) {
  let isArmed = true;
  return async (request) => {
    if (!isArmed || !isIt(request)) return 'pass';
    isArmed = false;
    await kill();
    return then;
  };
}
