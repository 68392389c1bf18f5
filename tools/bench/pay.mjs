import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { nextCheckAfterMs } from '../../apps/offramp/dist/claims/check-pace.js';
import { ROOT } from '../command/run.mjs';
import { CHAIN, sendDeposits } from './deposits.mjs';
import { disburseRequests, loadHttp, payRequests } from './load.mjs';
import { busyShare } from './machine.mjs';
import { startVuka, untilQuiet } from './vuka.mjs';
import { measureRoads } from './whole-roads.mjs';

const WARM_UP_ROADS = 100;
const RATE_WITHIN_MS = 600_000;
const QUIET_WITHIN_MS = 60_000;
/** A claim without a transfer ends at its first check, so that it does not run during the next measurement. */
const GIVEN_UP_AT_ONCE = { VUKA_TEST_SEARCH_MS: '1' };

/**
 * Payouts paid by deposits: verifications and accepts per second, and full payouts, the last two beside disbursements.
 * `busy`: the highest load by others. `{ missing }` without a chain node.
 */
export async function measurePay({ claims, alone, connections, rounds, seconds, warmUpSeconds, roads }, tell) {
  const busy = [await busyShare()];
  const verifications = await verificationRate({ claims, rounds, alone });
  if (verifications.missing !== undefined) return verifications;
  for (const { endpoints, agree, many, reads } of verifications.ways) {
    tell(
      `${agree} of ${endpoints} agree: ${Math.round(many.perSecond)} verifications/s, ${Math.round(reads.perSecond)} bare reads/s`,
    );
  }
  busy.push(await busyShare());
  const accepts = await payAccepts({ connections, rounds, seconds, warmUpSeconds }, tell);
  busy.push(await busyShare());
  return {
    verifications,
    looks: looksUntilDeadline(),
    accepts,
    roads: await payRoads(roads, tell),
    busy: Math.max(...busy),
  };
}

/** In its own process, which uses the event bus of offramp's tests. */
async function verificationRate({ claims, rounds, alone }) {
  const args = [join(ROOT, 'tools/bench/verification-rate.mjs'), ...[claims, rounds, alone].map(String)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: RATE_WITHIN_MS });
  return JSON.parse(stdout);
}

function looksUntilDeadline() {
  let looks = 1;
  for (let waitedMs = 0; waitedMs < CHAIN.searchForMs; looks += 1)
    waitedMs += nextCheckAfterMs(CHAIN.blockMs, waitedMs, false);
  return { looks, minutes: CHAIN.searchForMs / 60_000 };
}

/** The best of the rounds, each on a new Vuka; each round runs every kind at each number of connections. */
async function payAccepts({ connections: steps, rounds, seconds, warmUpSeconds }, tell) {
  let best = [];
  for (let round = 0; round < rounds; round += 1) {
    const vuka = await startVuka({ VUKA_SANDBOX_CHAINS: CHAIN.name, ...GIVEN_UP_AT_ONCE });
    try {
      const kinds = { disburse: disburseRequests(vuka.partners), pay: payRequests(vuka.partners) };
      for (const requests of Object.values(kinds))
        await loadHttp(vuka.baseUrl, requests, { connections: 16, seconds: warmUpSeconds });
      const rows = [];
      for (const connections of steps) {
        const row = { connections };
        for (const [kind, requests] of Object.entries(kinds))
          row[kind] = await acceptsOf(vuka, requests, { connections, seconds });
        rows.push(row);
      }
      tell(
        `accepts, pay beside disburse: ${rows.map(({ pay, disburse }) => `${Math.round(pay.perSecond)}/s beside ${Math.round(disburse.perSecond)}/s`).join(', ')}`,
      );
      best = rows.map(({ connections, ...row }, at) => ({
        connections,
        disburse: better(best[at]?.disburse, row.disburse),
        pay: better(best[at]?.pay, row.pay),
      }));
    } finally {
      await vuka.stop();
    }
  }
  return best;
}

const better = (known, result) => (known === undefined || result.perSecond > known.perSecond ? result : known);

async function acceptsOf(vuka, requests, { connections, seconds }) {
  await untilQuiet(vuka, QUIET_WITHIN_MS);
  const before = vuka.processor();
  const result = await loadHttp(vuka.baseUrl, requests, { connections, seconds, warmUpSeconds: 0.3 });
  const after = vuka.processor();
  if (Object.keys(result.statuses).some((status) => status !== '200'))
    throw new Error(`${requests[0].path} was answered ${JSON.stringify(result.statuses)}`);
  return {
    ...result,
    nodeShare: (after.node - before.node) / result.wallSeconds,
    postgresShare: (after.postgres - before.postgres) / result.wallSeconds,
  };
}

/** Transfers are final before the claims, so that Vuka is measured and not the chain's block time. */
async function payRoads(count, tell) {
  const vuka = await startVuka({ VUKA_SANDBOX_CHAINS: CHAIN.name });
  try {
    const { chains } = JSON.parse(readFileSync(join(vuka.folder, 'sandbox.json'), 'utf8'));
    const addresses = await Promise.all(vuka.partners.map((partner) => settlementAddress(vuka, partner)));
    const hashes = await sendDeposits(chains[CHAIN.name].rpc_url, addresses, WARM_UP_ROADS + count);
    const ofRoad = (from) => (road, index) => ({
      path: '/v1/pay/kes',
      body: { ...bankAccount(road), chain: CHAIN.name, transaction_hash: hashes[from + index] },
    });
    const disbursed = (road) => ({ path: '/kes/disburse', body: bankAccount(road) });
    await roadsOf(vuka, WARM_UP_ROADS, 'warm-disburse', disbursed);
    await roadsOf(vuka, WARM_UP_ROADS, 'warm-pay', ofRoad(0));
    const disburse = await roadsOf(vuka, count, 'disburse', disbursed);
    const pay = await roadsOf(vuka, count, 'pay', ofRoad(WARM_UP_ROADS));
    tell(
      `${count} whole roads each: pay ${Math.round(pay.steadyPerSecond)}/s beside disburse ${Math.round(disburse.steadyPerSecond)}/s, steady`,
    );
    return { disburse, pay };
  } finally {
    await vuka.stop();
  }
}

const bankAccount = ({ account }) => ({ type: 'BANK_TRANSFER', account_number: account, bank_code: '01' });

export async function roadsOf(vuka, count, name, asked) {
  await untilQuiet(vuka);
  const result = await measureRoads(vuka, count, name, asked);
  if (result.arrived < count)
    throw new Error(`${count - result.arrived} of ${count} roads (${name}) did not end in time`);
  return result;
}

export async function settlementAddress({ baseUrl }, { consumer_key }) {
  const response = await fetch(`${baseUrl}/account/networks`, {
    method: 'POST',
    headers: { 'x-api-key': consumer_key },
  });
  const { data } = await response.json();
  return data.find(({ name }) => name === CHAIN.name).settlement_wallet_address;
}
