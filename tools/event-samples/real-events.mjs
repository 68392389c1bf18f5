// Events as a build wrote them to its outbox: of a sandbox that is started and used here, or of a data folder captured earlier.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { URLSearchParams } from 'node:url';
import { gunzipSync } from 'node:zlib';

import { connectToRunning } from '../previous-build/database.mjs';
import { Partners } from '../previous-build/partner.mjs';
import { ROOT, runScript } from '../run.mjs';

const READY_WITHIN_MS = 60_000;
const ENDED_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 15_000;
/** Takes nothing: what is written about a webhook does not depend on its receiver. */
const CALLBACK = 'http://127.0.0.1:9/hook';

/** Each way a payout ends that tells partners something of its own shape (docs/sandbox-rail.md), by the recipient's last four digits. */
const ENDS = { 6789: 'COMPLETE', '0000': 'FAILED', '0001': 'FAILED', '0003': 'FAILED', '0005': 'REVERSED', '0006': 'COMPLETE', '0008': 'COMPLETE', '0010': 'COMPLETE' };
const OUTBOXES = ['payments', 'offramp', 'checkout', 'gateway', 'notifier'].map((service) => `select '${service}' as service, xid, id, topic, envelope from ${service}.outbox`).join(' union all ');
/** A transfer that nobody made is looked for no longer. */
const SEARCH_MS = 6_000;
/** `finalized` is twice as many blocks below the head: a small deposit is paid 12 blocks deep, long before it is there to stay. */
const EPOCH = 32;
const ENOUGH_TO_PAY = 13;
const PAST_FINALITY = 3 * EPOCH;
const REFUND_TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
/** With the 30 s that blocks may be late by: longer than an order takes to be paid here. */
const ORDER_SECONDS = '10';
const CHAIN = 'CELO';
const CURRENCY = 'kes';
const BANK = '01';

/** By type, with their topic, in the order they were written. */
export async function writtenEvents(checkout, tell) {
  const sandbox = await startSandbox(checkout);
  const { client } = await connectToRunning(sandbox.folder);
  try {
    const partners = new Partners(sandbox.baseUrl, sandbox.partners);
    const expected = await payOut(partners);
    tell(`${Object.keys(expected).length} payouts accepted`);
    const paid = await payByDeposits(checkout, sandbox, () => told(client, 'deposit.seen'));
    tell(`${Object.keys(paid).length} pays accepted`);
    await ended(client, { ...expected, ...paid });
    await told(client, 'deposit.credited');
    await vanish(checkout, sandbox, client);
    tell('a deposit has vanished');
    await refund(checkout, sandbox, client);
    tell('refunds have gone out and been given up');
    await orders(checkout, sandbox, client);
    tell('orders were paid, failed, and lost what had paid them');
    await standing(checkout, sandbox, client);
    await gone(partners, client);
    tell('a partner was stopped and let go on, and a receiver wants nothing more');
    const { rows } = await client.query(`${OUTBOXES} order by service, xid, id`);
    return byType(rows);
  } finally {
    await client.end();
    await sandbox.stop();
  }
}

/** The same of a capture: what that build had written when it was killed. */
export function capturedEvents(commit) {
  const capture = JSON.parse(gunzipSync(readFileSync(join(ROOT, `apps/e2e/src/previous-build/${commit}.json.gz`))));
  const { columns, rows } = capture.services.payments.tables.outbox;
  const names = columns.map(([name]) => name);
  const [topic, envelope, id] = ['topic', 'envelope', 'id'].map((name) => names.indexOf(name));
  const inOrder = [...rows].sort((one, other) => Number(one[id]) - Number(other[id]));
  return byType(inOrder.map((row) => ({ topic: row[topic], envelope: row[envelope] })));
}

function byType(rows) {
  const events = {};
  for (const { topic, envelope } of rows) {
    const parsed = readable(envelope);
    // A capture also holds what was written to be a dead letter.
    if (typeof parsed?.type === 'string') ((events[parsed.type] ??= { topic, envelopes: [] }).envelopes).push(parsed);
  }
  return events;
}

function readable(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Both operations, with and without somebody to tell. Gives the status that each code has to come to. */
async function payOut(partners) {
  const expected = {};
  for (const [ends, status] of Object.entries(ENDS)) {
    for (const [place, callback] of [CALLBACK, undefined].entries()) {
      const reference = `sample-${ends}-${place}`;
      const body = { amount: 1500, account_number: `012345${ends}`, bank_code: BANK, reference, ...(callback && { callback_url: callback }) };
      const { status: http, answer } = await partners.payOut('bank-transfer', CURRENCY, body);
      if (http !== 200) throw new Error(`${reference} was answered ${http} ${answer}`);
      expected[reference] = status;
    }
  }
  return expected;
}

/** Each verdict on a deposit, with and without a quote and a token's name. Gives the status that each code has to come to. */
async function payByDeposits(checkout, sandbox, seen) {
  const { ask, transfer, pay } = await payer(checkout, sandbox, 0);
  const { quote_id } = await ask(`/v1/quote/${CURRENCY}`, { amount: 1000, chain: CHAIN, asset: 'USDC' });
  await pay('pay-plain', await transfer('12.5'));
  await pay('pay-quoted', await transfer('12.5'), { asset: 'USDC', quote_id });
  await pay('pay-short', await transfer('0.5'));
  await pay('pay-unknown', `0x${'5a'.repeat(32)}`);
  await pay('pay-seen', await transfer('12.5', '--no-mine'));
  await seen();
  await onChain(checkout, sandbox, ['mine', '--blocks', '400']);
  return { 'pay-plain': 'COMPLETE', 'pay-quoted': 'COMPLETE', 'pay-seen': 'COMPLETE', 'pay-short': 'FAILED', 'pay-unknown': 'FAILED' };
}

/** What is paid for is taken back by the chain. By the second partner, who may do nothing new after that. */
async function vanish(checkout, sandbox, client) {
  const { transfer, pay } = await payer(checkout, sandbox, 1);
  const hash = await transfer('12.5', '--no-mine');
  await onChain(checkout, sandbox, ['mine', '--blocks', String(ENOUGH_TO_PAY)]);
  await pay('pay-vanished', hash);
  await ended(client, { 'pay-vanished': 'COMPLETE' });
  await onChain(checkout, sandbox, ['reorg', '--depth', String(EPOCH)]);
  await onChain(checkout, sandbox, ['mine', '--blocks', String(PAST_FINALITY)]);
  await told(client, 'deposit.reverted');
}

/** One refund goes out, one is given up while its deposit may still vanish. */
async function refund(checkout, sandbox, client) {
  const { ask, transfer, pay } = await payer(checkout, sandbox, 0);
  for (const reference of ['pay-back', 'pay-given-up']) {
    const hash = await transfer('0.7', '--no-mine');
    await onChain(checkout, sandbox, ['mine', '--blocks', String(ENOUGH_TO_PAY)]);
    await pay(reference, hash);
    await ended(client, { [reference]: 'FAILED' });
    const { refund_id } = await ask('/v1/refund', { chain: CHAIN, transaction_hash: hash, refund_address: REFUND_TO });
    if (reference === 'pay-given-up') await giveUp(checkout, sandbox, refund_id);
  }
  await told(client, 'refund.failed');
  for (const type of ['refund.broadcast', 'refund.confirmed']) {
    await onChain(checkout, sandbox, ['mine', '--blocks', String(PAST_FINALITY)]);
    await told(client, type);
  }
}

async function giveUp(checkout, sandbox, refundId) {
  const giveUpAt = Date.now() + ENDED_WITHIN_MS;
  for (;;) {
    if (await byPeople(checkout, sandbox, ['refund-cancel', String(refundId)])) return;
    // It has yet to come to offramp.
    if (Date.now() > giveUpAt) throw new Error('the refund was not given up');
    await pause(500);
  }
}

/** Whether the desk of that build did it. */
async function byPeople(checkout, { folder }, command) {
  const args = [...command, '--reason', 'a sample', '--by', 'Ann'];
  const { code } = await runScript(join(checkout, 'tools/vuka.mjs'), args, { env: { VUKA_DATA_DIR: folder }, onLine: () => undefined, timeoutMs: 60_000 });
  return code === 0;
}

/** The second partner is suspended, and resumed. */
async function standing(checkout, sandbox, client) {
  for (const [command, type] of [['partner-suspend', 'partner.suspended'], ['partner-resume', 'partner.resumed']]) {
    if (!(await byPeople(checkout, sandbox, [command, String(sandbox.partners[1].id)]))) throw new Error(`${command} was refused`);
    await told(client, type, 1, 'gateway');
  }
}

/** A webhook is answered 410. */
async function gone(partners, client) {
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(410).end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  try {
    const callback_url = `http://127.0.0.1:${receiver.address().port}/hook`;
    const { status, answer } = await partners.payOut('bank-transfer', CURRENCY, { amount: 1500, account_number: '0123456789', bank_code: BANK, reference: 'sample-gone', callback_url });
    if (status !== 200) throw new Error(`sample-gone was answered ${status} ${answer}`);
    await told(client, 'endpoint.disabled', 1, 'notifier');
  } finally {
    receiver.close();
    receiver.closeAllConnections();
  }
}

/** One is paid for good, one short, one by what is gone before it is final, one by what vanishes when it was credited. */
async function orders(checkout, sandbox, client) {
  const make = async (order_id) => {
    const query = new URLSearchParams({ network: CHAIN, asset: 'USDC', currency_code: CURRENCY, amount: '1000', order_id });
    const response = await fetch(`${sandbox.baseUrl}/v1/checkout/?${query}`, { method: 'POST', headers: { 'x-api-key': sandbox.partners[1].checkout_key } });
    const answer = await response.json();
    if (!response.ok) throw new Error(`the order was answered ${response.status} ${answer.message}`);
    return answer.data;
  };
  const mine = (blocks) => onChain(checkout, sandbox, ['mine', '--blocks', String(blocks)]);
  const send = ({ address }, amount) => onChain(checkout, sandbox, ['transfer', '--asset', 'USDC', '--amount', amount, '--to', address, '--no-mine']);
  await send(await make('order-gone'), '0.6');
  await told(client, 'order-deposit.seen');
  await onChain(checkout, sandbox, ['reorg', '--depth', String(EPOCH)]);
  await told(client, 'order-deposit.gone');
  await send(await make('order-short'), '0.5');
  for (const order_id of ['order-paid', 'order-vanished']) {
    const order = await make(order_id);
    if (order_id === 'order-vanished') await mine(PAST_FINALITY);
    await send(order, order.asset_amount);
    await mine(ENOUGH_TO_PAY);
    await told(client, 'order.complete', order_id === 'order-paid' ? 1 : 2, 'checkout');
  }
  await onChain(checkout, sandbox, ['reorg', '--depth', String(EPOCH)]);
  await mine(PAST_FINALITY);
  await told(client, 'order-deposit.reverted');
  await told(client, 'order.failed', 1, 'checkout');
}

/** A partner who sends to its own address and claims it. */
async function payer(checkout, sandbox, partner) {
  const ask = async (path, body) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': sandbox.partners[partner].consumer_key };
    const response = await fetch(`${sandbox.baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${path} was answered ${response.status} ${answer.message}`);
    return answer.data;
  };
  const networks = await ask('/account/networks', {});
  const to = networks.find(({ name }) => name === CHAIN).settlement_wallet_address;
  const transfer = (amount, ...options) => onChain(checkout, sandbox, ['transfer', '--asset', 'USDC', '--amount', amount, '--to', to, ...options]);
  const pay = (reference, transaction_hash, fields = {}) =>
    ask(`/v1/pay/${CURRENCY}`, { amount: 1000, type: 'MOBILE', shortcode: '0712345678', mobile_network: 'Safaricom', callback_url: CALLBACK, reference, transaction_hash, ...fields });
  return { ask, transfer, pay };
}

/** `npm run sandbox` of that build; gives the last line it prints. */
async function onChain(checkout, { folder }, args) {
  const said = [];
  const env = { VUKA_DATA_DIR: folder };
  const { code } = await runScript(join(checkout, 'tools/sandbox.mjs'), [...args, '--chain', CHAIN], { env, onLine: (line) => said.push(line), timeoutMs: 60_000 });
  if (code !== 0) throw new Error(`sandbox ${args[0]} ended with ${code}: ${said.join(' ')}`);
  return said.filter((line) => line.startsWith('0x')).at(-1);
}

/** Until a service has written so many events of that type. */
async function told(client, type, times = 1, service = 'offramp') {
  const giveUpAt = Date.now() + ENDED_WITHIN_MS;
  for (;;) {
    const { rows } = await client.query(`select 1 from ${service}.outbox where envelope like $1 limit $2`, [`%"${type}"%`, times]);
    if (rows.length >= times) return;
    if (Date.now() > giveUpAt) throw new Error(`no ${type} was told`);
    await pause(100);
  }
}

async function ended(client, expected) {
  const giveUpAt = Date.now() + ENDED_WITHIN_MS;
  for (;;) {
    const { rows } = await client.query('select transaction_code, state from payments.transactions');
    const open = rows.filter(({ transaction_code, state }) => expected[transaction_code] !== undefined && expected[transaction_code] !== state);
    if (open.length === 0) return;
    if (Date.now() > giveUpAt) throw new Error(`not ended as documented: ${JSON.stringify(open)}`);
    await pause(100);
  }
}

async function startSandbox(checkout) {
  const folder = await mkdtemp(join(tmpdir(), 'vuka-samples-'));
  const logFile = `${folder}.log`;
  const log = openSync(logFile, 'a');
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, VUKA_DATA_DIR: folder, PORT: '0', HOST: '127.0.0.1', VUKA_SANDBOX_CHAINS: CHAIN, VUKA_TEST_CHAIN_EPOCH: String(EPOCH), VUKA_TEST_SEARCH_MS: String(SEARCH_MS), UNAPPLIED_POLICY: 'wallet', CHECKOUT_ORDER_SECONDS: ORDER_SECONDS };
  const child = spawn(process.execPath, ['apps/standalone/dist/main.js'], { cwd: checkout, env, stdio: ['ignore', log, log] });
  closeSync(log);
  const exit = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await Promise.race([exit, pause(STOP_WITHIN_MS, undefined, { ref: false })]);
    if (child.exitCode === null) child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    await rm(logFile, { force: true });
  };
  const giveUpAt = Date.now() + READY_WITHIN_MS;
  while (!readFileSync(logFile, 'utf8').includes('Vuka is ready')) {
    if (child.exitCode !== null || Date.now() > giveUpAt) throw new Error(`the build did not start, see ${logFile}`);
    await pause(25);
  }
  const { base_url, partners } = JSON.parse(readFileSync(join(folder, 'sandbox.json'), 'utf8'));
  return { folder, baseUrl: base_url, partners, stop };
}
