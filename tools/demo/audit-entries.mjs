import { BACK_ACTS } from './back-acts.mjs';
import { CHECKOUT_ACTS } from './checkout-acts.mjs';
import { lookUntil } from './look.mjs';
import { minorOf, shillings } from './partner-api.mjs';
import { PAY_ACTS } from './pay-acts.mjs';
import { account, codeOf, costs, DETOUR_WITHIN_MS, endsIn, named, pageWith, STRAIGHT_WITHIN_MS } from './tour.mjs';
import { WEBHOOK_ACTS } from './webhook-acts.mjs';

const SERVICE_FEE_MINOR = 3_000n;
const RELEASED_WITHIN_MS = 2_000;
const CALL_AGAIN_MS = 500;

async function transfer(tour, name, number, amount = 1_500) {
  const code = codeOf(tour, name);
  const body = {
    amount,
    account_number: account(tour, number),
    bank_code: '01',
    reference: code,
    callback_url: tour.receiver.url,
  };
  const answer = await tour.api.call('/kes/bank-transfer', body);
  const isAccepted = answer.status === 200 && answer.body.data.status === 'PENDING';
  if (name === 'bank' || !isAccepted)
    tour.screen.promise(isAccepted, 'accepted and on disk: from now on it ends exactly once, whatever process dies');
  return { code, body, cost: minorOf(String(amount)) + SERVICE_FEE_MINOR };
}

async function wallet({ screen, api }) {
  await screen.act('The wallet', 'Each partner of the sandbox begins with play money in eight currencies.');
  const balance = await api.wallet();
  screen.promise(balance > 0n, `${shillings(balance)} to spend`);
}

async function bankTransfer(tour) {
  const { screen, api } = tour;
  await screen.act(
    'A bank transfer',
    'The answer comes as soon as the money is held. The payment continues in the background, and webhooks report it.',
  );
  const before = await api.wallet();
  const { code, cost } = await transfer(tour, 'bank', '6789');
  const row = await endsIn(tour, code, 'COMPLETE');
  screen.promise(
    row.receipt_number !== null && row.public_name === 'TEST 6789',
    `paid to ${row.public_name}, receipt ${row.receipt_number}`,
  );
  await costs(tour, before, cost, 'the amount, and the service fee of KES 30');
}

async function replay(tour) {
  const { screen, api } = tour;
  await screen.act(
    'The same request again',
    'A timeout, a retry, a nervous double click: one reference is one payment.',
  );
  const before = await api.wallet();
  const body = {
    amount: 1_500,
    account_number: account(tour, '6789'),
    bank_code: '01',
    reference: codeOf(tour, 'bank'),
    callback_url: tour.receiver.url,
  };
  const again = await api.call('/kes/bank-transfer', body);
  screen.promise(
    again.status === 200 && again.headers.get('idempotent-replayed') === 'true',
    'answered as before, and marked as a replay',
  );
  const other = await api.call('/kes/bank-transfer', { ...body, amount: 9_000 });
  screen.promise(other.status === 409, 'another amount under that reference is refused: 409');
  await costs(tour, before, 0n, 'nothing was paid twice');
}

async function mobileMoney(tour) {
  const { screen, api } = tour;
  await screen.act('To a phone', 'The same operation pays mobile money, paybills and tills.');
  const code = codeOf(tour, 'mobile');
  const body = {
    type: 'MOBILE',
    amount: 800,
    shortcode: `+2547${account(tour, '').slice(0, 4)}5678`,
    mobile_network: 'M-Pesa',
    reference: code,
    callback_url: tour.receiver.url,
  };
  const answer = await api.call('/kes/disburse', body);
  screen.promise(answer.status === 200, 'accepted');
  const row = await endsIn(tour, code, 'COMPLETE');
  screen.promise(
    row.mobile_network === 'Safaricom' && /^07\d{8}$/.test(row.shortcode),
    `network and number in one spelling: ${row.mobile_network}, ${row.shortcode}`,
  );
}

async function refused(tour) {
  const { screen, api } = tour;
  await screen.act(
    'A recipient who does not exist',
    'Account numbers that end in 0000. The money comes back, with the service fee.',
  );
  const before = await api.wallet();
  const { code } = await transfer(tour, 'nobody', '0000');
  const row = await endsIn(tour, code, 'FAILED');
  screen.promise(row.failure_code === 'recipient_not_found', `why, as a code and as a sentence: ${row.message}`);
  await costs(tour, before, 0n, 'all of it is back');
}

async function timeout(tour) {
  const { screen, api } = tour;
  await screen.act(
    'The provider does not answer',
    '0002: it accepts the payment and does not answer. Unknown is not failed: Vuka asks the provider, with the same id, until it knows.',
  );
  const before = await api.wallet();
  const { code, cost } = await transfer(tour, 'timeout', '0002');
  const row = await endsIn(tour, code, 'COMPLETE', DETOUR_WITHIN_MS);
  screen.promise(row.receipt_number !== null, `found paid, receipt ${row.receipt_number}`);
  await costs(tour, before, cost, 'once');
}

async function held(tour) {
  const { screen, api } = tour;
  await screen.act(
    'In progress for as long as you like',
    '0004: the provider holds it until you release it, so that you can see your own waiting screen.',
  );
  const { code } = await transfer(tour, 'held', '0004');
  await tour.receiver.waitFor(code, 'PROCESSING', STRAIGHT_WITHIN_MS);
  await screen.breathe();
  const row = await api.status(code);
  screen.promise(row.status === 'PROCESSING', `still ${row.status}`);
  const released = await lookUntil(
    () => api.call(`/sandbox/payouts/${code}/release`, {}),
    ({ body }) => body.data?.done === true,
    RELEASED_WITHIN_MS,
    CALL_AGAIN_MS,
  );
  screen.promise(released.body.data?.done === true, 'released');
  await endsIn(tour, code, 'COMPLETE', DETOUR_WITHIN_MS);
}

async function secondRoute(tour) {
  const { screen } = tour;
  await screen.act(
    'One provider cannot, the other one can',
    '0010: the first provider cannot reach the bank and says so. It is proven not paid there, so the second provider pays it.',
  );
  const { code } = await transfer(tour, 'failover', '0010');
  await endsIn(tour, code, 'COMPLETE', DETOUR_WITHIN_MS);
  const { attempts } = await tour.admin.read('show', ...named(tour, code));
  screen.promise(
    attempts.length === 2 && attempts[0].state === 'NOT_PAID' && attempts[1].state === 'PAID',
    `${attempts.map(({ provider, state }) => `${provider}: ${state}`).join(', then ')}`,
  );
}

async function parked(tour) {
  const { screen, api } = tour;
  await screen.act(
    'The provider has no float',
    '0007: nothing is wrong with the payment, so it waits and does not fail. After a top-up of the provider it is paid.',
  );
  const before = await api.wallet();
  const { code, cost } = await transfer(tour, 'float', '0007');
  const parkedOne = async () =>
    (await tour.admin.read('stuck')).parked.find(({ transaction_code }) => transaction_code === code);
  const waiting = await lookUntil(parkedOne, (found) => found !== undefined, STRAIGHT_WITHIN_MS);
  screen.promise(waiting !== undefined, `the admin API sees it parked: ${waiting?.why ?? '?'}`);
  const answer = await api.call(`/sandbox/payouts/${code}/top-up`, {});
  screen.promise(answer.status === 200, 'topped up');
  await endsIn(tour, code, 'COMPLETE', DETOUR_WITHIN_MS);
  await costs(tour, before, cost, 'once');
}

async function reversed(tour) {
  const { screen, api } = tour;
  await screen.act(
    'Paid, and then it comes back',
    '0005: the bank returns the money two seconds after the payment. COMPLETE becomes REVERSED, and the wallet has the money again.',
  );
  const before = await api.wallet();
  const { code } = await transfer(tour, 'reversed', '0005');
  screen.promise(
    (await tour.receiver.waitFor(code, 'COMPLETE', DETOUR_WITHIN_MS)) !== undefined,
    'a signed webhook tells COMPLETE',
  );
  await endsIn(tour, code, 'REVERSED', DETOUR_WITHIN_MS);
  await costs(tour, before, 0n, 'all of it is back, the service fee too');
}

async function paidTwice(tour) {
  const { screen, api } = tour;
  await screen.act(
    'A faulty provider pays twice',
    '0008: one order, two payments. The partner pays once. Vuka must claim the second one back, and an incident says so.',
  );
  const before = await api.wallet();
  const { code, cost } = await transfer(tour, 'twice', '0008');
  await endsIn(tour, code, 'COMPLETE', DETOUR_WITHIN_MS);
  const page = await pageWith(tour, code, ({ duplicate_payment }) => duplicate_payment.length > 0);
  screen.promise(
    page.duplicate_payment.length === 1 && page.duplicate_payment[0].owed_by === 'us',
    'the second payment is in the ledger, on us',
  );
  screen.promise(
    page.incidents.some(({ resolved_at }) => resolved_at === null),
    'an incident is open for a person',
  );
  await costs(tour, before, cost, 'once, though the provider paid twice');
  await screen.breathe();
  await tour.admin.show('show', ...named(tour, code));
}

async function twoPeople(tour) {
  const { screen, admin, provider } = tour;
  await screen.act(
    'The provider says another amount',
    '0009: its record has one shilling more than the order. No program can know what is right, so it stops. Two people decide, with evidence.',
  );
  const { code } = await transfer(tour, 'review', '0009');
  const { transaction, attempts } = await pageWith(tour, code, (page) => page.transaction.state === 'REVIEW');
  screen.promise(
    transaction.state === 'REVIEW',
    `${transaction.status} for the partner, ${transaction.state} for the admin API: ${attempts[0]?.detail}`,
  );
  const { receipt, amount } = await provider.recordOf(attempts[0].provider_reference);
  screen.line(`The provider, asked by a person: paid KES ${amount}, receipt ${receipt}`);
  const evidence = `the provider's portal says paid KES ${amount}`;
  const proposed = await admin.show(
    'settle',
    ...named(tour, code),
    '--paid',
    '--receipt',
    receipt,
    '--amount',
    amount,
    '--evidence',
    evidence,
    '--by',
    'Ann Otieno',
  );
  screen.promise(proposed === 0, 'Ann proposes, and nothing moves');
  const { settlements } = await admin.read('show', ...named(tour, code));
  const id = String(settlements.at(-1)?.id);
  screen.promise((await admin.show('approve', id, '--by', 'ann otieno')) === 1, 'Ann cannot approve what Ann proposed');
  screen.promise((await admin.show('approve', id, '--by', 'Ben Mwangi')) === 0, 'Ben can');
  await endsIn(tour, code, 'COMPLETE');
}

async function ledger(tour) {
  const { screen, admin, isOurs } = tour;
  await screen.act(
    'The books',
    'Every rule of the double-entry ledger, recomputed from its entries. Then the world outside: both services, the chain balances and the provider balances.',
  );
  const view = await admin.read('ledger');
  for (const { rule, broken } of view.checks)
    screen.promise(broken.length === 0, broken.length === 0 ? rule : `${rule}: ${JSON.stringify(broken[0])}`);
  for (const { what, why } of view.not_read) {
    if (isOurs) screen.promise(false, `${what} was read: ${why}`);
    else screen.line(`? not read: ${what} (${why})`);
  }
  screen.promise(
    view.verdict !== 'not_sound',
    view.verdict === 'sound' ? 'the ledger is sound' : 'the ledger is sound as far as it could be read',
  );
}

export const ACTS = [
  wallet,
  bankTransfer,
  replay,
  mobileMoney,
  refused,
  timeout,
  held,
  secondRoute,
  parked,
  reversed,
  paidTwice,
  twoPeople,
  ...PAY_ACTS,
  ...CHECKOUT_ACTS,
  ...BACK_ACTS,
  ...WEBHOOK_ACTS,
  ledger,
];
