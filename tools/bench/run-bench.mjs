import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { macsReport, measureMacs } from './event-macs.mjs';
import { guessedKeysReport, measureGuessedKeys } from './guessed-keys.mjs';
import { listsReport, measureLists } from './lists.mjs';
import { loadHttp, transferRequests } from './load.mjs';
import { describeMachine, syncLatency, waitUntilIdle } from './machine.mjs';
import { measureHere, measurePairs, meterReport, pairsReport } from './meter/meter.mjs';
import { measureOrders, ordersReport } from './orders.mjs';
import { measurePay } from './pay.mjs';
import { payReport } from './pay-report.mjs';
import { measureProfiles } from './profiles.mjs';
import { profilesReport, report, waysReport } from './report.mjs';
import { startVuka, untilQuiet } from './vuka.mjs';
import { measureWebhooks, webhooksReport } from './webhooks.mjs';
import { measureRoads } from './whole-roads.mjs';
import { measureWays } from './wrong-ways.mjs';
import { elapsed, say, step } from '../command/progress.mjs';
import { ROOT } from '../command/run.mjs';

const CONNECTIONS = [1, 16, 64, 256];
const CEILING_CONNECTIONS = 64;

const quick = process.argv.includes('--quick');
const onlyWays = process.argv
  .find((argument) => argument.startsWith('--ways='))
  ?.slice('--ways='.length)
  .split(',');
const plan = quick
  ? {
      rounds: 1,
      seconds: 1,
      warmUpSeconds: 0.5,
      roads: 200,
      pay: { claims: 100, alone: 2, connections: [64], roads: 100 },
      orders: { orders: 1_000, ticks: 10, deposits: 20 },
      webhooks: { webhooks: 1_000, hosts: 20, rounds: 1, ways: 1 },
      lists: { rows: 20_000, payouts: 100, rounds: 1 },
      guessedKeys: { rounds: 1, seconds: 2 },
      ways: { count: 200, seconds: 1, perSecond: 50 },
      macs: { events: 2_000 },
    }
  : {
      rounds: 3,
      seconds: 2.5,
      warmUpSeconds: 1,
      roads: 3_000,
      pay: { claims: 1_000, alone: 5, connections: [16, 64, 256], roads: 1_000 },
      orders: { orders: 10_000, ticks: 100, deposits: 20 },
      webhooks: { webhooks: 10_000, hosts: 100, rounds: 3 },
      lists: { rows: 1_000_000, payouts: 1_000, rounds: 3 },
      guessedKeys: { rounds: 5, seconds: 4 },
      ways: { count: 1_000, seconds: 3, perSecond: 100 },
      macs: { events: 20_000 },
    };

const idle = await waitUntilIdle();
if (!idle.isIdle)
  say(`! other programs use ${Math.round(idle.busy * 100)} % of the processors, so these figures will be too low`);

const facts = {
  machine: describeMachine(),
  date: new Date().toISOString().slice(0, 10),
  plan,
  idle,
  syncMs: syncLatency(tmpdir()),
};

if (onlyWays !== undefined) {
  const ways = await step('wrong ways', (tell) => measureWays(onlyWays, plan.ways, tell));
  say(`\n${waysReport(ways, plan.ways).join('\n')}`);
  process.exit(0);
}

const against = process.argv
  .find((argument, at) => argument.startsWith('--against=') || process.argv[at - 1] === '--against')
  ?.replace(/^--against=/, '');
if (against !== undefined) {
  const pairs = await step('the meter, here and there in turn', (tell) => measurePairs(against, { quick }, tell));
  say(`\n${pairsReport(pairs, against).join('\n')}`);
  process.exit(0);
}

const SECTIONS = {
  meter: async () => meterReport(await meterRounds()),
  profiles: async () => profilesReport(await profileRounds(), plan),
  pay: async () => payReport(await payRound(), plan, facts),
  orders: async () => ordersReport(await ordersRound(), facts),
  webhooks: async () => webhooksReport(await webhooksRound(), facts),
  lists: async () => listsReport(await listsRound(), facts),
  macs: async () => macsReport(await macsRound()),
  'guessed-keys': async () => guessedKeysReport(await guessedKeysRound(), facts),
};
for (const [name, measure] of Object.entries(SECTIONS)) {
  if (!process.argv.includes(`--${name}`)) continue;
  const section = (await measure()).join('\n');
  say(`\n${section}`);
  if (!quick) replaceSection(section);
  process.exit(0);
}

const meter = await meterRounds();
let sealing;
const postings = await bestOf('raw postings', postingRounds());
const { accepts, ceilings } = await step('accepts through the gateway', acceptRounds);
const roads = await step('whole roads', roadRound);
const ways = await step('whole roads, one in ten the wrong way', (tell) =>
  measureWays(quick ? ['0001'] : [], plan.ways, tell),
);

const profiles = await profileRounds();

const pay = await payRound();
const orders = await ordersRound();
const webhooks = await webhooksRound();
const lists = await listsRound();
const macs = await macsRound();
const guessedKeys = await guessedKeysRound();

const text = report({
  ...facts,
  meter,
  postings,
  sealing,
  accepts,
  ceilings,
  roads,
  ways,
  profiles,
  pay,
  orders,
  webhooks,
  lists,
  macs,
  guessedKeys,
  took: elapsed(),
});
say(`\n${text}`);
if (!quick) {
  writeFileSync(join(ROOT, 'docs/generated/benchmarks.md'), text);
  say('docs/generated/benchmarks.md is written.');
}

function replaceSection(section) {
  const file = join(ROOT, 'docs/generated/benchmarks.md');
  const [heading] = section.split('\n');
  const sections = readFileSync(file, 'utf8').split(/^(?=## )/m);
  const known = sections.findIndex((text) => text.startsWith(heading));
  const next = sections.findIndex((text) => text.startsWith('## Whole roads, one in ten'));
  const at = known === -1 ? next : known;
  sections.splice(at === -1 ? sections.length : at, known === -1 ? 0 : 1, `${section}\n\n`);
  writeFileSync(file, sections.join(''));
  say('Its section in docs/generated/benchmarks.md is written.');
}

function meterRounds() {
  return step('the meter', (tell) => measureHere({ quick, samples: quick ? 1 : 3 }, tell));
}

function macsRound() {
  return step('MACs of events', () => measureMacs(plan.macs));
}

function profileRounds() {
  return step('both profiles', (tell) => measureProfiles({ ...plan, rounds: quick ? 1 : 2 }, tell));
}

function ordersRound() {
  return step('orders', (tell) => measureOrders(plan.orders, tell));
}

function webhooksRound() {
  return step('webhooks', (tell) => measureWebhooks(plan.webhooks, tell));
}

function listsRound() {
  return step('lists', (tell) => measureLists(plan.lists, tell));
}

function guessedKeysRound() {
  return step('guessed keys', (tell) => measureGuessedKeys(plan.guessedKeys, tell));
}

function payRound() {
  const { rounds, seconds, warmUpSeconds, pay } = plan;
  return step('pay', (tell) => measurePay({ rounds, seconds, warmUpSeconds, ...pay }, tell));
}

async function* postingRounds() {
  for (let round = 0; round < plan.rounds; round += 1) {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(ROOT, 'tools/bench/posting-rate.mjs'), String(quick ? 1 : 1.5)],
      { timeout: 120_000 },
    );
    const measured = JSON.parse(stdout);
    sealing = measured.seal;
    yield measured.postings;
  }
}

/** The best of the rounds in each cell: other load can only make figures worse. */
function bestOf(title, rounds) {
  return step(title, async (tell) => {
    let best = [];
    for await (const row of rounds) {
      tell(row.map(({ perSecond }) => `${Math.round(perSecond)}/s`).join(', '));
      best = row.map((result, place) => better(best[place], result));
    }
    return best;
  });
}

function better(known, result) {
  return known === undefined || result.perSecond > known.perSecond ? result : known;
}

/** A new Vuka per round, so that payouts left from one round are not paid in the next. */
async function acceptRounds(tell) {
  let accepts = [];
  let ceilings = [];
  for (let round = 0; round < plan.rounds; round += 1) {
    const vuka = await startVuka();
    try {
      const [ceiling, accept] = [await measureCeilings(vuka), await measureAccepts(vuka)];
      ceilings = ceiling.map((result, place) => better(ceilings[place], result));
      accepts = accept.map((result, place) => better(accepts[place], result));
      tell(accept.map(({ perSecond }) => `${Math.round(perSecond)}/s`).join(', '));
    } finally {
      await vuka.stop();
    }
  }
  return { accepts, ceilings };
}

async function measureCeilings({ baseUrl }) {
  const load = { connections: CEILING_CONNECTIONS, seconds: quick ? 0.5 : 1.5, warmUpSeconds: 0.5 };
  const live = await loadHttp(baseUrl, [{ method: 'GET', path: '/health/live' }], load);
  const refused = await loadHttp(
    baseUrl,
    [{ method: 'POST', path: '/kes/bank-transfer', body: '{"amount":100}' }],
    load,
  );
  return [
    { what: 'GET /health/live', ...live },
    { what: 'POST /kes/bank-transfer without a key: 401', ...refused },
  ];
}

async function measureAccepts(vuka) {
  const requests = transferRequests(vuka.partners);
  const results = [];
  await loadHttp(vuka.baseUrl, requests, { connections: 16, seconds: plan.warmUpSeconds });
  for (const connections of CONNECTIONS) {
    await untilQuiet(vuka);
    const before = vuka.processor();
    const result = await loadHttp(vuka.baseUrl, requests, { connections, seconds: plan.seconds, warmUpSeconds: 0.3 });
    const after = vuka.processor();
    const others = Object.keys(result.statuses).filter((status) => status !== '200');
    if (others.length > 0) throw new Error(`transfers were answered ${JSON.stringify(result.statuses)}`);
    const wall = result.wallSeconds;
    results.push({
      ...{
        connections,
        ...result,
        nodeShare: (after.node - before.node) / wall,
        postgresShare: (after.postgres - before.postgres) / wall,
      },
      loadShare: result.processorSeconds / wall,
    });
  }
  return results;
}

async function roadRound(tell) {
  const vuka = await startVuka();
  try {
    await measureRoadsOf(vuka, 300, 'warm', tell);
    await untilQuiet(vuka);
    return await measureRoadsOf(vuka, plan.roads, 'road', tell);
  } finally {
    await vuka.stop();
  }
}

async function measureRoadsOf(vuka, count, name, tell) {
  const result = await measureRoads(vuka, count, name);
  if (result.arrived < count) throw new Error(`${count - result.arrived} of ${count} roads did not end in time`);
  tell(`${count} ${name === 'warm' ? 'to warm up' : 'measured'}: ${Math.round(result.perSecond)}/s`);
  return result;
}
