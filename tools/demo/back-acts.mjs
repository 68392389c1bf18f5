import { randomBytes } from 'node:crypto';

import { lookUntil } from './look.mjs';
import { shillings } from './partner-api.mjs';
import { addressOf, AMOUNT, dataOf, ENOUGH, kenyan, PAY_WITHIN_MS, send, served } from './pay-acts.mjs';
import { account, codeOf, endsIn, named, pageWith } from './tour.mjs';

const BACK_WITHIN_MS = 90_000;
const FREE_AGAIN_WITHIN_MS = 10_000;
/** Blocks at which eight dollars are paid, with the transfer's own block; deeper ones are final. */
const PAID_AT = 13;
const FOR_GOOD = 60;

const REFUSED_FIRST = '0001';

const isEvm = (tour, chain) => tour.chains[chain].chain_id !== undefined;

async function sentBack(tour) {
  const { screen, api, sandbox, unapplied } = tour;
  if (unapplied === undefined || !isEvm(tour, unapplied.chain)) return;
  const { chain, asset, hash, amount } = unapplied;
  await screen.act(
    'Sent back on its chain',
    `The ${amount} tokens that were too little. The ledger holds them, then a key signs that no service has. Here it is the key of the sandbox; in live a person signs offline.`,
  );
  const to = `0x${randomBytes(20).toString('hex')}`;
  const body = { chain, transaction_hash: hash, refund_address: to };
  const asked = dataOf(await api.call('/v1/refund', body));
  screen.promise(asked.status === 'PENDING', `accepted: ${asked.amount} ${asked.asset} to ${to}`);
  const sent = await refunded(tour, body, 'PROCESSING', 'COMPLETE');
  await mine(tour, chain, FOR_GOOD);
  const done = sent.status === 'COMPLETE' ? sent : await refunded(tour, body, 'COMPLETE');
  screen.promise(
    done.status === 'COMPLETE' && done.refund_id === asked.refund_id,
    `the same request again, the same refund: ${done.status}, in ${done.refund_transaction_hash}`,
  );
  const balance = await balanceOn(tour, chain, asset, to);
  screen.promise(balance === amount, `and ${chain} itself says that ${to} has ${balance} ${asset}`);
  await sandbox.run('mine', '--chain', chain);
}

async function refunded({ api, screen }, body, ...wanted) {
  let told = '';
  const look = async () => {
    const refund = dataOf(await api.ask('/v1/refund', body));
    if (refund.status !== told) screen.line(`${screen.paint.dim('…')} ${screen.status(refund.status)}`);
    told = refund.status;
    return refund;
  };
  return lookUntil(look, ({ status }) => wanted.includes(status) || status === 'FAILED', BACK_WITHIN_MS);
}

async function mine({ screen, sandbox }, chain, blocks) {
  const { told } = await sandbox.run('mine', '--chain', chain, '--blocks', String(blocks));
  screen.typed(`npm run sandbox -- mine --chain ${chain} --blocks ${blocks}`, told.join('\n'));
}

async function balanceOn(tour, chain, asset, owner) {
  const token = dataOf(await tour.api.ask('/account/networks', {}))
    .find(({ name }) => name === chain)
    .assets.find(({ name }) => name === asset);
  const [balance, decimals] = await Promise.all(
    [`0x70a08231${owner.slice(2).padStart(64, '0')}`, '0x313ce567'].map((data) =>
      askNode(tour, chain, 'eth_call', { to: token.contract_address, data }, 'latest'),
    ),
  );
  const digits = BigInt(balance)
    .toString()
    .padStart(Number(decimals) + 1, '0');
  return `${digits.slice(0, -Number(decimals))}.${digits.slice(-Number(decimals))}`.replace(/\.?0+$/, '');
}

async function askNode({ chains }, chain, method, ...params) {
  const answer = await fetch(chains[chain].rpc_url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(PAY_WITHIN_MS),
  });
  return (await answer.json()).result;
}

/** Paid at the depth for its value, then the chain reorganises: the partner owes it and its wallet pays. */
async function takenBack(tour) {
  const { screen, api, sandbox, admin } = tour;
  const chain = served(tour)
    .map((stop) => stop.chain)
    .find((name) => isEvm(tour, name));
  if (chain === undefined || !(await staysOpen(tour, chain))) return;
  await screen.act(
    'A chain takes back what was paid for',
    'Eight dollars are too little to wait for the last block. If a reorganisation removes the deposit, the payout stands. The partner owes the value, its wallet pays it, and people check.',
  );
  const before = await api.wallet();
  await sandbox.run('stall', '--chain', chain);
  try {
    const hash = await sandbox.transfer(
      { chain, asset: 'USDC', amount: ENOUGH, to: await addressOf(api, chain) },
      '--no-mine',
    );
    await mine(tour, chain, PAID_AT);
    const code = codeOf(tour, 'taken-back');
    await api.call('/v1/pay/kes', {
      ...kenyan(tour),
      amount: AMOUNT,
      transaction_hash: hash,
      chain,
      reference: code,
      callback_url: tour.receiver.url,
    });
    await endsIn(tour, code, 'COMPLETE', PAY_WITHIN_MS);
    const { told } = await sandbox.run('reorg', '--chain', chain, '--depth', String(PAID_AT));
    screen.typed(`npm run sandbox -- reorg --chain ${chain} --depth ${PAID_AT}`, told.join('\n'));
    await mine(tour, chain, FOR_GOOD);
    const page = await pageWith(tour, code, ({ incidents }) => incidents.length > 0, BACK_WITHIN_MS);
    const [incident] = page.incidents;
    screen.promise(
      incident !== undefined && page.transaction.status === 'COMPLETE',
      `${page.transaction.status} stays ${page.transaction.status}; the incident: ${incident?.detail}`,
    );
    await admin.show('show', ...named(tour, code));
    const after = await api.wallet();
    screen.promise(
      after < before,
      `the wallet is down by ${shillings(before - after)}: the partner bears the payout, and nobody else`,
    );
    const refused = await api.call('/v1/pay/kes', {
      ...kenyan(tour),
      amount: AMOUNT,
      transaction_hash: `0x${randomBytes(32).toString('hex')}`,
      chain,
      reference: codeOf(tour, 'frozen'),
    });
    screen.promise(refused.status === 403, 'nothing new is paid until a person has resolved it: 403');
    screen.promise(
      (await admin.show(
        'resolve',
        String(incident?.id),
        '--note',
        'the chain was reorganised, and the partner knows it',
        '--by',
        'Ann Otieno',
      )) === 0,
      'Ann has looked',
    );
    screen.promise(await isFreeAgain(tour), 'and the partner pays again');
  } finally {
    await sandbox.run('stall', '--chain', chain, '--off');
  }
}

async function staysOpen(tour, chain) {
  const [latest, finalized] = await Promise.all(
    ['latest', 'finalized'].map((tag) => askNode(tour, chain, 'eth_getBlockByNumber', tag, false)),
  );
  return Number(latest.number) - Number(finalized.number) > PAID_AT;
}

async function isFreeAgain({ api, ...tour }) {
  let tries = 0;
  const pay = () =>
    api.ask('/kes/disburse', { ...kenyan(tour), amount: AMOUNT, reference: codeOf(tour, `free-${(tries += 1)}`) });
  return (await lookUntil(pay, ({ status }) => status === 200, FREE_AGAIN_WITHIN_MS)).status === 200;
}

/** The provider says "not paid" and a refund is due, but then it did pay: only one of the two may happen. */
async function overtaken(tour) {
  const { screen, api } = tour;
  const [stop] = served(tour).filter(({ chain }) => isEvm(tour, chain));
  if (stop === undefined) return;
  const { chain, asset } = stop;
  await screen.act(
    'A payment that succeeds before its refund',
    'The provider refuses a pay, so its tokens must go back. Before the refund is granted, the provider pays after all. So the tokens are not sent back.',
  );
  const to = `0x${randomBytes(20).toString('hex')}`;
  const hash = await send(tour, { chain, asset, amount: ENOUGH, to: await addressOf(api, chain) });
  const code = codeOf(tour, 'overtaken');
  const shortcode = `071${account(tour, '').slice(-3)}${REFUSED_FIRST}`;
  await api.call('/v1/pay/kes', {
    type: 'MOBILE',
    shortcode,
    mobile_network: 'Safaricom',
    amount: AMOUNT,
    transaction_hash: hash,
    chain,
    refund_address: to,
    reference: code,
    callback_url: tour.receiver.url,
  });
  const failed = await lookUntil(
    () => api.status(code),
    ({ status }) => status === 'FAILED',
    PAY_WITHIN_MS,
  );
  screen.promise(
    failed.status === 'FAILED' && failed.refund === 'PENDING',
    `${failed.status}, ${failed.failure_code}; its refund: ${failed.refund}`,
  );
  await api.call(`/sandbox/payouts/${code}/pay`, {});
  const row = await lookUntil(
    () => api.status(code),
    ({ correction }) => correction !== '',
    BACK_WITHIN_MS,
  );
  screen.promise(
    row.status === 'FAILED' && row.correction.reason === 'paid_after_failure',
    `${row.status} stays ${row.status}, and its correction says: ${row.correction.reason}, receipt ${row.correction.receipt_number}`,
  );
  screen.promise(
    row.refund === 'FAILED' && (await balanceOn(tour, chain, asset, to)) === '0',
    `its refund: ${row.refund}; ${to} has nothing: the value left once`,
  );
  const hook = await tour.receiver.waitForEvent(code, 'transaction.corrected', PAY_WITHIN_MS);
  screen.promise(hook !== undefined, 'a signed webhook tells transaction.corrected');
}

export const BACK_ACTS = [sentBack, overtaken, takenBack];
