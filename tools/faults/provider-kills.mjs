// payments is killed between claim, call, answer, callback and record, again and again; the provider's book is the
// judge.
import { checkLedger } from '../../apps/payments/dist/index.js';
import { until } from '../../libs/testing/dist/index.js';
import { ProviderStage } from './provider-stage.mjs';

const KILLS_AT_EACH = 4;
const PAYOUTS_AT_ONCE = 8;
const DIES_WITHIN_MS = 300_000;
const ENDS_WITHIN_MS = 600_000;
const LOOK_EVERY_MS = 100;
const FUNDS_MINOR = '1000000000';
const ENDED = ['COMPLETE', 'FAILED', 'REVERSED'];

const isCallback = ({ url }) => url.startsWith('/callbacks/');
const isQuestion = ({ url }) => url.startsWith('/approvals/');

/** Each arms its trap for one kill; a `crashAt` is a place where payments kills itself. */
const pointsOf = ({ pays, asksFirst }) => {
  const isPaying = ({ method, url }) => method === 'POST' && url === pays;
  return {
    claim: { crashAt: 'payments.after-claim:3' },
    'call, never received': { arm: ({ calls }, kill) => (calls.onCall = once(isPaying, kill, 'drop')) },
    'call, received': { arm: ({ calls }, kill) => (calls.onCall = once(isPaying, kill, 'pass')) },
    ...(asksFirst && {
      'question, on its way': { arm: ({ callbacks }, kill) => (callbacks.onCall = once(isQuestion, kill, 'pass')) },
      'question, answered': { arm: ({ callbacks }, kill) => (callbacks.onAnswer = once(isQuestion, kill)) },
    }),
    answer: { arm: ({ calls }, kill) => (calls.onAnswer = once(isPaying, kill)) },
    'callback, on its way': { arm: ({ callbacks }, kill) => (callbacks.onCall = once(isCallback, kill, 'pass')) },
    'callback, kept': { arm: ({ callbacks }, kill) => (callbacks.onAnswer = once(isCallback, kill)) },
    'callback, read': { crashAt: 'payments.callback-read:2' },
    'before record': { crashAt: 'payments.before-record:3' },
    'after record': { crashAt: 'payments.after-record:3' },
  };
};

/** As run-fault.mjs: what was seen, and what is wrong. `each`: so often at each point. */
export async function playProviderKills({ id, title, provider, each = KILLS_AT_EACH }, tell) {
  const stage = await ProviderStage.open(provider);
  /** By code: the number that is paid to, and whether it was accepted. */
  const wanted = new Map();
  const faults = [];
  let kills = 0;
  try {
    await stage.openWallet(FUNDS_MINOR);
    const points = Object.entries(pointsOf(provider));
    const rounds = Array.from({ length: each }, () => points).flat();
    for (const [name, point] of rounds) {
      await killAt(stage, point, wanted).catch((error) => {
        throw new Error(`${name}: ${error.message}`);
      });
      kills += 1;
      if (kills % points.length === 0) tell(`${kills} kills, ${wanted.size} payouts; the last one at: ${name}`);
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
  const { transactions = '?', paid = '?', inDoubt = '?' } = counts;
  tell(`${kills} kills, ${transactions} payouts, ${paid} paid, each once; ${inDoubt} never taken wait for people`);
  return { id, title: `${title}, ${kills} times`, counts: { ...NO_TRAFFIC, ...counts }, faults };
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
    const { digits } = stage.provider;
    wanted.set(`kill-${number}`, { digits: digits[number % digits.length], isAccepted: false });
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
      const [{ waiting }] = await stage.db.query(
        'select count(*)::integer as waiting from provider_callbacks where due_at is not null',
      );
      const paid = await stage.paymentsByBookId();
      const open = (await transactionsOf(stage)).filter((one) => !hasEnded(one) && !waitsForPeople(stage, one, paid));
      return open.length + waiting === 0 && [...wanted.values()].every(({ isAccepted }) => isAccepted);
    },
    { withinMs: ENDS_WITHIN_MS, what: 'every payout has ended, and every callback is handled', everyMs: 1_000 },
  );
}

const hasEnded = ({ state }) => ENDED.includes(state);

/** Its call never came there, and nobody but people can know that. */
const waitsForPeople = ({ provider }, { state, bookIds }, paid) =>
  provider.mayStayInDoubt && state === 'IN_DOUBT' && !bookIds.some((id) => paid.has(id));

async function transactionsOf({ db, provider }) {
  const rows = await db.query(
    `select t.transaction_code as code, t.state, array(select a.provider_reference::text from attempts a where a.transaction_id = t.id) as attempts
       from transactions t order by t.id`,
  );
  return rows.map(({ code, state, attempts }) => ({ code, state, bookIds: attempts.map(provider.bookIdOf) }));
}

/** By the provider's book: no transaction has two payments, and each ended as it was paid. */
async function judge(stage, wanted, faults) {
  const all = await transactionsOf(stage);
  const paidUnder = await stage.paymentsByBookId();
  let paid = 0;
  for (const { code, state, bookIds } of all) {
    const times = bookIds.reduce((sum, id) => sum + (paidUnder.get(id) ?? 0), 0);
    paid += times;
    const who = `${code}, to ${wanted.get(code)?.digits},`;
    if (times > 1) faults.push(`${who} was paid ${times} times`);
    if (times !== (state === 'COMPLETE' ? 1 : 0)) faults.push(`${who} is ${state} and was paid ${times} times`);
  }
  const booked = [...paidUnder.values()].reduce((sum, times) => sum + times, 0);
  if (booked !== paid) faults.push(`${stage.provider.name} paid ${booked - paid} times for nobody`);
  if (all.length !== wanted.size) faults.push(`${wanted.size} payouts were asked for, and ${all.length} are there`);
  const ledger = await checkLedger(stage.db);
  for (const { rule, broken } of ledger.checks) if (broken.length > 0) faults.push(`the ledger: ${rule}`);
  const inDoubt = all.filter((one) => waitsForPeople(stage, one, paidUnder)).length;
  return { transactions: all.length, paid, inDoubt, ledger: ledger.ok };
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
