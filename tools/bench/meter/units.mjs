import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

import { ROOT } from '../../command/run.mjs';
import { CHAIN, sendDeposits } from '../deposits.mjs';
import { loadHttp, transferRequests } from '../load.mjs';
import { roadsOf, settlementAddress } from '../pay.mjs';
import { startStack } from '../stack.mjs';
import { startVuka, untilQuiet } from '../vuka.mjs';
import { measureRoads } from '../whole-roads.mjs';
import { openDatabase } from './database.mjs';

const IDLE_MS = 3_000;
const QUIET_WITHIN_MS = 60_000;
const SCRIPT_WITHIN_MS = 300_000;

export const SIZES = {
  sample: {
    acceptSeconds: 4,
    warmUp: 200,
    roads: 1_000,
    pays: 400,
    counted: 400,
    claims: 300,
    webhooks: 2_000,
    hosts: 20,
  },
  quick: { acceptSeconds: 1, warmUp: 50, roads: 200, pays: 100, counted: 100, claims: 100, webhooks: 1_000, hosts: 20 },
};

/**
 * Processor ms per unit of work and process, less an idle Vuka's; for whole payouts also SQL statements and WAL bytes.
 * `{ durability, units: [{ name, ms: { <process>: … }, statements?, walBytes? }] }`
 */
export async function measureUnits(size, tell) {
  const units = [];
  const add = (unit) => {
    units.push(unit);
    tell(
      `${unit.name}: ${Object.entries(unit.ms)
        .map(([process, ms]) => `${process} ${ms.toFixed(2)} ms`)
        .join(', ')}`,
    );
  };
  await paused(size, add);
  const durability = await embedded(size, add);
  await pays(size, add);
  await services(size, add);
  add(await verification(size));
  add(await webhook(size));
  return { durability, units };
}

async function paused(size, add) {
  await withVuka(startVuka, {}, async (vuka) => {
    const database = await openDatabase(vuka.folder);
    try {
      await database.pausePayouts();
      await accepts(vuka, { acceptSeconds: 1 });
      add(await metered(vuka, 'accept, payouts paused', () => accepts(vuka, size), { database }));
    } finally {
      await database.close();
    }
  });
}

async function embedded(size, add) {
  return withVuka(startVuka, {}, async (vuka) => {
    await measureRoads(vuka, size.warmUp, 'warm');
    const database = await openDatabase(vuka.folder);
    try {
      const road = await metered(vuka, 'bank transfer, to its webhook', () => roads(vuka, size.roads, 'road'), {
        database,
      });
      add({
        ...road,
        statements: await statementsOf(vuka, database, size.counted, (count) => roads(vuka, count, 'counted')),
      });
      add(await metered(vuka, 'accept beside payouts', () => accepts(vuka, size), { toTheEnd: false }));
      return await database.durability();
    } finally {
      await database.close();
    }
  });
}

async function pays(size, add) {
  await withVuka(startVuka, { VUKA_SANDBOX_CHAINS: CHAIN.name }, async (vuka) => {
    const { chains } = JSON.parse(readFileSync(join(vuka.folder, 'sandbox.json'), 'utf8'));
    const addresses = await Promise.all(vuka.partners.map((partner) => settlementAddress(vuka, partner)));
    const hashes = await sendDeposits(chains[CHAIN.name].rpc_url, addresses, size.warmUp + size.pays + size.counted);
    let next = 0;
    const pay = async (count, name) => {
      const from = next;
      next += count;
      await roadsOf(vuka, count, name, ({ account }, index) => ({
        path: '/v1/pay/kes',
        body: {
          type: 'BANK_TRANSFER',
          account_number: account,
          bank_code: '01',
          chain: CHAIN.name,
          transaction_hash: hashes[from + index],
        },
      }));
      return count;
    };
    await pay(size.warmUp, 'warm-pay');
    const database = await openDatabase(vuka.folder);
    try {
      const road = await metered(vuka, 'pay, to its webhook', () => pay(size.pays, 'pay'), { database });
      add({
        ...road,
        statements: await statementsOf(vuka, database, size.counted, (count) => pay(count, 'counted-pay')),
      });
    } finally {
      await database.close();
    }
  });
}

async function services(size, add) {
  await withVuka(startStack, {}, async (vuka) => {
    await roads(vuka, size.warmUp, 'warm');
    add(await metered(vuka, 'bank transfer, as services', () => roads(vuka, size.roads, 'road')));
  });
}

async function verification({ claims }) {
  const { missing, ways } = await script('verification-rate.mjs', claims, 1, 1);
  if (missing !== undefined) throw new Error(`no chain to verify on: ${missing}`);
  const {
    seconds: [node, postgres, chain],
  } = ways[0].many;
  return { name: 'verification, 1 of 1 endpoints', count: claims, ms: inMs({ node, postgres, chain }, claims) };
}

async function webhook({ webhooks, hosts }) {
  const {
    seconds: [node, postgres, receivers],
    due,
  } = await script('webhook-rate.mjs', webhooks, hosts);
  return { name: 'webhook, delivered', count: due, ms: inMs({ node, postgres, receivers }, due) };
}

const inMs = (seconds, count) =>
  Object.fromEntries(Object.entries(seconds).map(([process, used]) => [process, (used * 1_000) / count]));

async function script(name, ...args) {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(ROOT, 'tools/bench', name), ...args.map(String)],
    { timeout: SCRIPT_WITHIN_MS },
  );
  return JSON.parse(stdout);
}

async function withVuka(start, env, work) {
  const vuka = await start(env);
  try {
    return await work(vuka);
  } finally {
    await vuka.stop();
  }
}

/** `work` resolves with its number of units. The measurement ends when Vuka is quiet, unless `toTheEnd` is false. */
async function metered(vuka, name, work, { database, toTheEnd = true } = {}) {
  await untilQuiet(vuka, QUIET_WITHIN_MS);
  const idle = await idleShares(vuka);
  const [before, walBefore, from] = [vuka.processes(), await database?.walBytes(), performance.now()];
  const count = await work();
  if (toTheEnd) await untilQuiet(vuka, QUIET_WITHIN_MS);
  const [after, walAfter, wall] = [vuka.processes(), await database?.walBytes(), (performance.now() - from) / 1_000];
  const seconds = Object.entries(after).map(([process, used]) => [
    process,
    Math.max(0, used - before[process] - idle[process] * wall),
  ]);
  return {
    name,
    count,
    ms: inMs(Object.fromEntries(seconds), count),
    ...(database && { walBytes: (walAfter - walBefore) / count }),
  };
}

async function idleShares(vuka) {
  const before = vuka.processes();
  await pause(IDLE_MS);
  const after = vuka.processes();
  return Object.fromEntries(Object.keys(after).map((part) => [part, (after[part] - before[part]) / (IDLE_MS / 1_000)]));
}

async function statementsOf(vuka, database, count, work) {
  await untilQuiet(vuka, QUIET_WITHIN_MS);
  const idle = await database.statementsOf(() => pause(IDLE_MS));
  const from = performance.now();
  const all = await database.statementsOf(async () => {
    await work(count);
    await untilQuiet(vuka, QUIET_WITHIN_MS);
  });
  return Math.max(0, (all - (idle * (performance.now() - from)) / IDLE_MS) / count);
}

async function roads(vuka, count, name) {
  const { arrived } = await measureRoads(vuka, count, name);
  if (arrived < count) throw new Error(`${count - arrived} of ${count} payouts (${name}) did not end in time`);
  return count;
}

async function accepts(vuka, { acceptSeconds }) {
  const { count, statuses } = await loadHttp(vuka.baseUrl, transferRequests(vuka.partners), {
    connections: 64,
    seconds: acceptSeconds,
  });
  if (Object.keys(statuses).some((status) => status !== '200'))
    throw new Error(`transfers were answered ${JSON.stringify(statuses)}`);
  return count;
}
