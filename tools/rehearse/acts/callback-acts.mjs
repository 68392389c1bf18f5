// What pawaPay calls back: over TLS, through the proxy, by the gateway's door into the inbox of payments.
import { Agent, fetch } from 'undici';

import { lookUntil } from '../../demo/look.mjs';

const CALL_WITHIN_MS = 20_000;
const HANDLED_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 500;
const HANDLED = /^vuka_callbacks_handled_total\{(?=[^}]*provider="pawapay")[^}]*outcome="(\w+)"[^}]*\} (\d+)/gm;
/** By the simulator's numbers: a payout that is not paid, and a forged callback that says it is. */
export const FORGED = '0312';

/** Those that came in until now. A signed one may end a payout; what became of it is what the ledger has. */
export async function readCallbacks({ stage, screen }) {
  await screen.act(
    'Called back',
    'pawaPay signs what it calls back, and the adapter checks it by the host that pawaPay called.',
  );
  const { payouts } = await stage.pawapay.book();
  const ended = payouts.filter(({ status }) => status === 'COMPLETED' || status === 'FAILED');
  const answered = new Map();
  const isHeard = (deliveries) => {
    for (const { id, signing, status } of deliveries) if (status === 200) answered.set(id, signing);
    return ended.every(({ payoutId }) => answered.has(payoutId));
  };
  await lookUntil(() => stage.pawapay.callbacks(), isHeard, HANDLED_WITHIN_MS, LOOK_EVERY_MS);
  const unheard = ended.filter(({ payoutId }) => !answered.has(payoutId));
  screen.promise(
    ended.length > 0 && unheard.length === 0,
    `of ${String(ended.length)} payouts that have ended ${String(ended.length - unheard.length)} were called back to ${new URL(stage.publicUrl).protocol}//…, and answered 200`,
  );
  const left = await untilHandled(stage);
  const outcomes = await outcomesOf(stage);
  const { recorded = 0, known = 0, asked = 0 } = outcomes;
  screen.promise(
    recorded > 0 && Object.keys(outcomes).every((outcome) => ['recorded', 'known', 'asked'].includes(outcome)),
    `signed: ${String(recorded)} ended their payouts, ${String(known)} said what a query had heard; ${String(asked)} proved nothing and had pawaPay asked`,
  );
  return { ended: ended.length, answered: answered.size, outcomes, left };
}

/** One that anybody can write who knows the path: it says that an open payout is paid. */
export async function callBackAsStranger({ stage, digits }) {
  const { payouts } = await stage.pawapay.book();
  const { payoutId, amount, currency, country, phoneNumber, provider } = payouts.find(
    ({ phoneNumber: phone, status }) => phone.endsWith(digits) && status !== 'COMPLETED',
  );
  const body = {
    payoutId,
    status: 'COMPLETED',
    amount,
    currency,
    country,
    recipient: { type: 'MMO', accountDetails: { phoneNumber, provider } },
    created: new Date().toISOString(),
    providerTransactionId: 'FORGED',
  };
  const dispatcher = new Agent({ connect: { ca: stage.authority.pem } });
  try {
    const answer = await fetch(`${stage.publicUrl}/callbacks/pawapay/${stage.callbackToken}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
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

async function outcomesOf({ deployment }) {
  const answer = await fetch(`${deployment.urls.payments}/metrics`, { signal: AbortSignal.timeout(CALL_WITHIN_MS) });
  const text = await answer.text();
  return Object.fromEntries([...text.matchAll(HANDLED)].map(([, outcome, count]) => [outcome, Number(count)]));
}
