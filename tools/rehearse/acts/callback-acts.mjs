// What providers call back: over TLS, through the proxy, by the gateway's door into the inbox of payments.
import { Agent, fetch } from 'undici';

import { lookUntil } from '../../demo/look.mjs';
import { lookInside } from '../deployment.mjs';

const CALL_WITHIN_MS = 20_000;
const HANDLED_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 500;
/** What a busy machine has not answered in time is called again minutes later, by the provider's clock. */
const CALLED_WITHIN_MS = 5_000;
const MOST_MOVES = 4;
const HANDLED = /^vuka_callbacks_handled_total\{([^}]*)\} (\d+)/gm;
const ANSWERED = /^vuka_approvals_total\{([^}]*)\} (\d+)/gm;
/** A callback ended its payout, said what was known, or proved nothing, so that the provider was asked. */
const USUAL = ['recorded', 'known', 'asked'];

/** Those that came in until now. A signed one may end a payout; what became of it is what the ledger has. */
export async function readCallbacks({ stage, screen }) {
  await screen.act(
    'Called back',
    'Each provider signs what it calls back. Chapa asks before it pays, and we say yes only of what we have sent.',
  );
  const heard = await Promise.all(stage.simulators.map(callbacksOf));
  const left = await untilHandled(stage);
  const read = await metricsOf(stage);
  const callbacks = {};
  for (const { id, name, outcomesToo = [], ended, answered } of heard) {
    screen.promise(
      ended > 0 && answered === ended,
      `${name}: of ${String(ended)} payouts that have ended ${String(answered)} were called back to ${new URL(stage.publicUrl).protocol}//…, and answered 200`,
    );
    const outcomes = countsOf(read, HANDLED, id, 'outcome');
    const { recorded = 0, known = 0, asked = 0 } = outcomes;
    screen.promise(
      recorded > 0 && Object.keys(outcomes).every((outcome) => [...USUAL, ...outcomesToo].includes(outcome)),
      `${name}, signed: ${String(recorded)} ended their payouts, ${String(known)} said what a query had heard; ${String(asked)} proved nothing and had it asked${rest(outcomes)}`,
    );
    callbacks[id] = { ended, answered, outcomes };
  }
  const approvals = await readApprovals({ stage, screen, read });
  return { ...callbacks, approvals, left };
}

const rest = (outcomes) =>
  Object.entries(outcomes)
    .filter(([outcome]) => !USUAL.includes(outcome))
    .map(([outcome, count]) => `; ${outcome} ${String(count)}`)
    .join('');

async function callbacksOf({ id, name, outcomesToo, callsAgainAfterMs, readBook, callbacks, moveClock }) {
  const ended = (await readBook()).payouts.filter(({ hasEnded }) => hasEnded);
  const answered = new Set();
  const isHeard = (deliveries) => {
    for (const delivery of deliveries) if (delivery.status === 200) answered.add(delivery.id);
    return ended.every((payout) => answered.has(payout.id));
  };
  for (let moves = 0; callsAgainAfterMs !== undefined && moves < MOST_MOVES; moves += 1) {
    await lookUntil(callbacks, isHeard, CALLED_WITHIN_MS, LOOK_EVERY_MS);
    if (ended.every((payout) => answered.has(payout.id))) break;
    await moveClock(callsAgainAfterMs);
  }
  await lookUntil(callbacks, isHeard, HANDLED_WITHIN_MS, LOOK_EVERY_MS);
  return {
    id,
    name,
    outcomesToo,
    ended: ended.length,
    answered: ended.filter((payout) => answered.has(payout.id)).length,
  };
}

/** Questions that payments had no time for, which is a refusal: on a busy machine. */
export const undecided = async (stage) => countsOf(await metricsOf(stage), ANSWERED, 'chapa', 'answer').trouble ?? 0;

/** Nothing is paid there without our yes, and a stranger gets none. */
async function readApprovals({ stage, screen, read }) {
  const chapa = stage.simulators.find(({ id }) => id === 'chapa');
  const { payouts } = await chapa.readBook();
  const questions = await chapa.questions();
  const approved = new Set(questions.filter(({ status }) => status === 200).map(({ id }) => id));
  const paid = payouts.filter(({ payments }) => payments.length > 0);
  const forged = questions.filter(({ signing }) => signing === 'forged');
  const answers = countsOf(read, ANSWERED, 'chapa', 'answer');
  screen.promise(
    paid.length > 0 && paid.every(({ id }) => approved.has(id)) && answers.approved >= approved.size,
    `Chapa asked whether to pay, and we approved: ${String(approved.size)} of ${String(questions.length)} questions, ${String(paid.length)} are paid`,
  );
  screen.promise(
    forged.length > 0 && forged.every(({ status }) => status === 400),
    `a stranger asked: ${forged.map(({ status }) => String(status)).join(', ') || 'nothing'}`,
  );
  return { paid: paid.length, approved: approved.size, forged: forged.map(({ status }) => status), answers };
}

/** One that anybody can write who knows the path: it says that an open payout is paid. */
export async function callBackAsStranger({ stage, simulator }) {
  const { payouts } = await simulator.readBook();
  const open = payouts.find(({ account, hasEnded }) => account.endsWith(simulator.digits.late) && !hasEnded);
  const dispatcher = new Agent({ connect: { ca: stage.authority.pem } });
  try {
    const answer = await fetch(simulator.callbackUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(simulator.saysPaid(open)),
      signal: AbortSignal.timeout(CALL_WITHIN_MS),
      dispatcher,
    });
    await answer.text();
    return { status: answer.status, left: await untilHandled(stage) };
  } finally {
    await dispatcher.close();
  }
}

/** Nothing waits, and nothing is about a payout of nobody. */
export async function readInbox({ stage, screen }) {
  const left = await untilHandled(stage);
  screen.promise(
    left.length === 0,
    `npm run vuka -- callbacks: ${left.length === 0 ? 'none is left' : JSON.stringify(left)}`,
  );
  return left;
}

async function untilHandled({ operators: [ann] }) {
  const look = async () => {
    const { waiting, unknown } = await ann.tell('callbacks');
    return [...waiting, ...unknown];
  };
  return lookUntil(look, (left) => left.length === 0, HANDLED_WITHIN_MS, LOOK_EVERY_MS);
}

async function metricsOf({ authority, deployment }) {
  return (await lookInside(authority)(`${deployment.urls.payments}/metrics`)).text;
}

function countsOf(text, metric, provider, label) {
  return Object.fromEntries(
    [...text.matchAll(metric)]
      .filter(([, labels]) => labels.includes(`provider="${provider}"`))
      .map(([, labels, count]) => [new RegExp(`${label}="(\\w+)"`).exec(labels)?.[1], Number(count)]),
  );
}
