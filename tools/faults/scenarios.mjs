import { setTimeout as pause } from 'node:timers/promises';

import { startCutKafka } from './cut-kafka.mjs';
import { DEPOSIT_ENV } from './deposit-load.mjs';
import { KILLED_PROVIDERS } from './killed-providers.mjs';
import { playProviderKills } from './provider-kills.mjs';

const SERVICES = ['gateway', 'payments', 'validation', 'offramp', 'checkout', 'notifier'];
const BROKER_AWAY_MS = 60_000;
const REDIS_AWAY_MS = 20_000;
const DEPOSITS_AWAY_MS = 20_000;
const LINK_CUT_MS = 30_000;
const SLOW_MS = 45_000;
const CHAOS_KILLS = 15;
const CHAOS_PAUSE_MS = 2_000;
const REBALANCE_SCALES = [2, 3, 1, 2, 1];
const FLUSHES = 3;

/**
 * Every stack uses the test event bus, which doubles, delays and reorders events (not within a key) by seed.
 * `play`: it has no stack, and plays its faults itself. `withDeposits`: payers send tokens too. `happen` does the fault and repairs it; the supervisor restarts dead
 * processes.
 */
export const SCENARIOS = [
  {
    title: 'one process of each service',
    env: {},
    faults: [
      ...SERVICES.map((service) => ({
        id: `kill-${service}`,
        title: `kill -9 of ${service}, its only process`,
        happen: ({ vuka }) => killed(vuka, service),
      })),
      { id: 'kill-postgres', title: 'kill -9 of PostgreSQL', happen: ({ vuka }) => killed(vuka, 'postgres') },
      { id: 'kill-broker', title: 'kill -9 of the Kafka broker', happen: ({ vuka }) => killed(vuka, 'kafka') },
      {
        id: 'pause-broker',
        title: 'the broker hangs for a minute',
        happen: ({ vuka }) => hangs(vuka, ['kafka'], BROKER_AWAY_MS),
      },
      { id: 'flush-redis', title: 'Redis is flushed, three times', happen: ({ vuka }) => flushes(vuka) },
      { id: 'pause-redis', title: 'Redis hangs for 20 s', happen: ({ vuka }) => hangs(vuka, ['redis'], REDIS_AWAY_MS) },
      { id: 'kill-redis', title: 'kill -9 of Redis', happen: ({ vuka }) => killed(vuka, 'redis') },
      { id: 'power-cut', title: 'kill -9 of everything at once, then a start', happen: ({ vuka }) => powerCut(vuka) },
    ],
  },
  {
    title: 'two processes of each service',
    env: { VUKA_STACK_INSTANCES: '2' },
    faults: [
      { id: 'double', title: 'nothing but two of each and doubled, late deliveries', happen: () => pause(10_000) },
      {
        id: 'chaos',
        title: `kill -9 of a process at random, every 2 s, ${CHAOS_KILLS} times`,
        happen: ({ vuka, tell }) => chaos(vuka, tell),
      },
      {
        id: 'rolling',
        title: 'every service restarted in turn, one process after the other',
        happen: ({ vuka }) => rolling(vuka),
      },
      {
        id: 'rebalance',
        title: 'notifier scaled up and down, so that its group rebalances',
        happen: ({ vuka }) => rebalances(vuka),
      },
      {
        id: 'slow-consumer',
        title: 'one of two consumers hangs for 45 s, beyond its session',
        happen: ({ vuka }) => hangs(vuka, ['notifier'], SLOW_MS),
      },
      {
        id: 'slow-payments',
        title: 'the payments process that publishes hangs for 45 s',
        happen: ({ vuka }) => hangs(vuka, ['payments'], SLOW_MS),
      },
    ],
  },
  {
    title: 'one process of each service, while deposits come in',
    env: DEPOSIT_ENV,
    withDeposits: true,
    faults: [
      ...['gateway', 'payments', 'offramp', 'checkout', 'notifier'].map((service) => ({
        id: `deposits-${service}`,
        title: `kill -9 of ${service} while deposits come in`,
        happen: ({ vuka }) => killed(vuka, service),
      })),
      {
        id: 'deposits-postgres',
        title: 'kill -9 of PostgreSQL while deposits come in',
        happen: ({ vuka }) => killed(vuka, 'postgres'),
      },
      {
        id: 'deposits-broker',
        title: 'the broker hangs for 20 s while deposits come in',
        happen: ({ vuka }) => hangs(vuka, ['kafka'], DEPOSITS_AWAY_MS),
      },
      // Chain nodes are not killed: a restarted node forgets blocks it called final, which no real chain does.
      {
        id: 'deposits-all',
        title: 'kill -9 of all services, PostgreSQL, broker and Redis at once while deposits come in',
        happen: ({ vuka }) => killed(vuka, ...SERVICES, 'postgres', 'kafka', 'redis'),
      },
    ],
  },
  {
    title: 'two processes of each service, while deposits come in',
    env: { ...DEPOSIT_ENV, VUKA_STACK_INSTANCES: '2' },
    withDeposits: true,
    faults: [
      { id: 'deposits-double', title: 'nothing but two of each while deposits come in', happen: () => pause(10_000) },
      {
        id: 'deposits-chaos',
        title: `kill -9 of a process at random, every 2 s, ${CHAOS_KILLS} times, while deposits come in`,
        happen: ({ vuka, tell }) => chaos(vuka, tell),
      },
    ],
  },
  {
    title: 'a broker behind links that can be cut',
    setUp: startCutKafka,
    env: {},
    faults: [
      {
        id: 'cut-notifier',
        title: 'the link between notifier and the broker is cut for 30 s',
        happen: ({ surroundings }) => cut(surroundings.links.notifier),
      },
      {
        id: 'cut-payments',
        title: 'the link between payments and the broker is cut for 30 s',
        happen: ({ surroundings }) => cut(surroundings.links.payments),
      },
    ],
  },
  {
    title: "payments, the gateway and a provider's simulator, without a stack",
    play: playProviderKills,
    faults: KILLED_PROVIDERS.map((provider) => ({
      id: `provider-kills-${provider.id}`,
      title: `kill -9 of payments between claim, call, answer, callback and record, payouts by ${provider.name}`,
      provider,
    })),
  },
];

async function killed(vuka, ...names) {
  await Promise.all(names.map((name) => vuka.killMember(name)));
  await vuka.isWhole();
}

async function hangs(vuka, names, ms) {
  for (const name of names) await vuka.pause(name);
  try {
    await pause(ms);
  } finally {
    for (const name of names) await vuka.resume(name);
  }
}

async function flushes(vuka) {
  for (let i = 0; i < FLUSHES; i += 1) {
    await vuka.flushRedis();
    await pause(2_000);
  }
}

async function powerCut(vuka) {
  await vuka.kill9({ postgres: true });
  await vuka.restart();
}

async function chaos(vuka, tell) {
  const killedByName = {};
  for (let i = 0; i < CHAOS_KILLS; i += 1) {
    const { members } = await vuka.status();
    const alive = members.filter(({ kind, pid }) => kind === 'service' && pid !== null);
    const { name } = alive[Math.floor(Math.random() * alive.length)];
    killedByName[name] = (killedByName[name] ?? 0) + 1;
    await vuka.killMember(name).catch(() => undefined);
    await pause(CHAOS_PAUSE_MS);
  }
  tell(
    `killed ${Object.entries(killedByName)
      .map(([name, times]) => `${name} ${times}×`)
      .join(', ')}`,
  );
  await vuka.isWhole(120_000);
}

async function rolling(vuka) {
  for (const service of SERVICES) await vuka.restartMember(service);
  await vuka.isWhole();
}

async function rebalances(vuka) {
  for (const instances of REBALANCE_SCALES) {
    await vuka.scale('notifier', instances);
    await pause(3_000);
  }
  await vuka.scale('notifier', 2);
}

async function cut(link) {
  link.cut();
  try {
    await pause(LINK_CUT_MS);
  } finally {
    link.repair();
  }
}
