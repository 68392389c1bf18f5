import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { ROOT } from '../command/run.mjs';

/** Downloads missing servers (`tell` gets lines for people), and needs a build. */
export async function findServers(tell) {
  const { findAnvil, findKafka, findMockKafka, findRedis } = await builtLib('local-servers/dist/index');
  const asked = process.env.VUKA_TEST_KAFKA;
  const kafka =
    asked === 'mock' || asked === 'none'
      ? { ok: false, why: `VUKA_TEST_KAFKA=${asked} asks for none` }
      : await findKafka({ tell });
  const mock = kafka.ok || asked === 'none' ? undefined : await findMockKafka({ tell });
  const redis =
    process.env.VUKA_TEST_REDIS === 'none'
      ? { ok: false, why: 'VUKA_TEST_REDIS=none asks for none' }
      : await findRedis({ tell });
  return judgeServers({
    kafka,
    mock,
    redis,
    anvil: await findAnvil(),
    required: process.env.REQUIRE_DISTRIBUTED === '1',
    inCi: Boolean(process.env.CI),
  });
}

/**
 * A broker (VUKA_TEST_KAFKA_URL) and a PostgreSQL (VUKA_TEST_POSTGRES_URL) for all suites; those that stop theirs copy
 * a prepared cluster (VUKA_TEST_CLUSTER).
 * `stop` ends and removes all. Not Jest's globalSetup, which would run per phase.
 */
export async function shareServers(found) {
  const { createLogger } = await builtLib('runtime/dist/index');
  const log = createLogger('tests', { level: 'error' });
  const hasBroker = found.env.VUKA_TEST_KAFKA === 'real';
  const [cluster, ...broker] = await Promise.all([
    forTheRun('cluster', (folder) => makeCluster(folder, log)),
    ...(hasBroker ? [forTheRun('kafka', (folder) => startBroker(folder, log))] : []),
  ]);
  const postgres = await forTheRun('postgres', (folder) => startPostgres(folder, cluster.env.VUKA_TEST_CLUSTER, log));
  const all = [cluster, ...broker, postgres];
  const stop = async () => void (await Promise.all(all.map((one) => one.stop())));
  return { ...found, env: Object.assign({}, found.env, ...all.map(({ env }) => env)), stop };
}

const builtLib = (path) => import(pathToFileURL(join(ROOT, `libs/${path}.js`)).href);

async function forTheRun(name, start) {
  const folder = await mkdtemp(join(tmpdir(), `vuka-test-${name}-`));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const { env, stop, kill } = await start(folder);
  const end = () => {
    kill?.();
    remove();
  };
  process.once('exit', end);
  return {
    env,
    stop: async () => {
      process.off('exit', end);
      await stop?.();
      remove();
    },
  };
}

async function makeCluster(folder, log) {
  const { startEmbeddedPostgres } = await builtLib('persistence/dist/index');
  const server = await startEmbeddedPostgres({ folder, durable: false, log });
  await server.stop();
  return { env: { VUKA_TEST_CLUSTER: folder } };
}

/** For four suites, some with a dozen pools. */
const CONNECTIONS = 300;

async function startPostgres(folder, cluster, log) {
  const { startEmbeddedPostgres } = await builtLib('persistence/dist/index');
  const { bringCluster } = await builtLib('persistence/dist/test-postgres');
  await bringCluster(folder, cluster);
  const server = await startEmbeddedPostgres({ folder, durable: false, maxConnections: CONNECTIONS, log });
  const { user, password, host, port, pid } = server;
  return {
    env: { VUKA_TEST_POSTGRES_URL: `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}` },
    stop: () => server.stop(),
    // Writes nothing more, so that the folder can be removed.
    kill: () => signal(pid, 'SIGQUIT'),
  };
}

async function startBroker(folder, log) {
  const { startLocalKafka } = await builtLib('local-servers/dist/index');
  const kafka = await startLocalKafka({ folder, log });
  const { host, port, pid } = kafka;
  return {
    env: { VUKA_TEST_KAFKA_URL: `${host}:${port}` },
    stop: () => kafka.stop(),
    kill: () => signal(pid, 'SIGKILL'),
  };
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself; its folder is still there.
  }
}

/**
 * `env` for suites (VUKA_TEST_KAFKA: real, mock or none; VUKA_TEST_REDIS and VUKA_TEST_ANVIL: real or none, and why),
 * `notice` for people (empty if complete).
 * EVM suites are skipped without anvil (in CI they run and fail). Failures count only if servers are required.
 */
export function judgeServers({ kafka, mock, redis, anvil, required, inCi }) {
  const kind = kafka.ok ? 'real' : mock?.ok ? 'mock' : 'none';
  const env = {
    VUKA_TEST_KAFKA: kind,
    VUKA_TEST_REDIS: redis.ok ? 'real' : 'none',
    VUKA_TEST_ANVIL: anvil.ok ? 'real' : 'none',
  };
  const missing = [];
  if (!kafka.ok) {
    env.VUKA_TEST_KAFKA_WHY = kafka.why;
    const instead =
      kind === 'mock'
        ? 'Suites that can use the mock cluster of librdkafka ran against the mock, which is not a real broker.'
        : `The mock was missing too: ${mock?.why ?? 'nobody asked for it'}.`;
    missing.push([
      'Kafka',
      'every suite that needs a broker: the relay, topics, outages, the stack',
      kafka.why,
      instead,
    ]);
  }
  if (!redis.ok) {
    env.VUKA_TEST_REDIS_WHY = redis.why;
    missing.push(['Redis', 'every suite that needs Redis: jobs and limits shared by processes, the stack', redis.why]);
  }
  const lines = (verdict, [name, what, why, ...more]) => [
    `${verdict}: ${name}. ${what}.`,
    `  Why: ${why}`,
    ...more.map((line) => `  ${line}`),
  ];
  const notice = missing.flatMap(([name, what, ...rest]) =>
    lines(required ? '✗ REQUIRED AND MISSING' : '! SKIPPED', [name, `Not run: ${what}`, ...rest]),
  );
  const skipsChains = !anvil.ok && !inCi;
  if (skipsChains)
    notice.push(
      ...lines('! SKIPPED', [
        'anvil',
        'Not run: what needs an EVM chain. Each test of it, or each suite that is nothing else, is among the skipped',
        anvil.why,
      ]),
    );
  else if (!anvil.ok) notice.push(...lines('✗ MISSING', ['anvil', 'What needs an EVM chain has failed', anvil.why]));
  return { env, notice, canRunStack: kafka.ok && redis.ok, skipsChains, failures: required ? missing.length : 0 };
}
