import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { ROOT } from '../command/run.mjs';

/**
 * Which servers the tests of the distributed profile can have on this machine. Looks once, fetches what is missing (tell gets lines for
 * people), and needs a build.
 */
export async function findServers(tell) {
  const { findAnvil, findKafka, findMockKafka, findRedis } = await import(
    pathToFileURL(join(ROOT, 'libs/local-servers/dist/index.js')).href
  );
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
 * What suites share: one broker (VUKA_TEST_KAFKA_URL: each takes names of its own there) and one PostgreSQL (VUKA_TEST_POSTGRES_URL: each takes
 * a database of its own), for all that do not mean to stop them, and for those a database cluster that nobody starts, to be copied
 * (VUKA_TEST_CLUSTER). `stop` ends the two and removes the third.
 */
export async function shareServers(found) {
  const [broker, cluster] = await Promise.all([shareBroker(found), readyCluster()]);
  const postgres = await sharePostgres(cluster.folder);
  const stop = async () => void (await Promise.all([broker.stop(), postgres.stop(), cluster.remove()]));
  return { ...found, env: { ...found.env, ...broker.env, ...cluster.env, ...postgres.env }, stop };
}

const builtLibs = (names) =>
  Promise.all(names.map((lib) => import(pathToFileURL(join(ROOT, `libs/${lib}/dist/index.js`)).href)));

async function readyCluster() {
  const [{ startEmbeddedPostgres }, { createLogger }] = await builtLibs(['persistence', 'runtime']);
  const folder = await mkdtemp(join(tmpdir(), 'vuka-test-cluster-'));
  const server = await startEmbeddedPostgres({
    folder,
    durable: false,
    log: createLogger('tests', { level: 'error' }),
  });
  await server.stop();
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.once('exit', remove);
  return { env: { VUKA_TEST_CLUSTER: folder }, folder, remove };
}

/** Of four suites, some of which have a dozen pools. */
const CONNECTIONS = 300;

async function sharePostgres(cluster) {
  const [{ startEmbeddedPostgres }, { createLogger }] = await builtLibs(['persistence', 'runtime']);
  const { bringCluster } = await import(pathToFileURL(join(ROOT, 'libs/persistence/dist/test-postgres.js')).href);
  const folder = await mkdtemp(join(tmpdir(), 'vuka-test-postgres-'));
  await bringCluster(folder, cluster);
  const server = await startEmbeddedPostgres({
    folder,
    durable: false,
    maxConnections: CONNECTIONS,
    log: createLogger('tests', { level: 'error' }),
  });
  // As the broker. Nothing of it is written any more, so that the folder can go.
  const end = () => {
    try {
      process.kill(server.pid, 'SIGQUIT');
    } catch {
      // It has ended by itself; its folder is still there.
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once('exit', end);
  const stop = async () => {
    process.off('exit', end);
    await server.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const { user, password, host, port } = server;
  return {
    env: { VUKA_TEST_POSTGRES_URL: `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}` },
    stop,
  };
}

async function shareBroker(found) {
  if (found.env.VUKA_TEST_KAFKA !== 'real') return { env: {}, stop: async () => undefined };
  const [{ startLocalKafka }, { createLogger }] = await builtLibs(['local-servers', 'runtime']);
  const folder = await mkdtemp(join(tmpdir(), 'vuka-test-kafka-'));
  const kafka = await startLocalKafka({ folder, log: createLogger('tests', { level: 'error' }) });
  // Whoever ends this command in the middle ends the broker, too.
  const end = () => process.kill(kafka.pid, 'SIGKILL');
  process.once('exit', end);
  const stop = async () => {
    process.off('exit', end);
    await kafka.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  return { env: { VUKA_TEST_KAFKA_URL: `${kafka.host}:${kafka.port}` }, stop };
}

/**
 * What was found, as the suites are told (`env`: VUKA_TEST_KAFKA real, mock or none; VUKA_TEST_REDIS and VUKA_TEST_ANVIL real or none; why), as people are
 * told at the end (`notice`, empty when nothing is missing), whether a stack can run, whether suites of EVM chains are skipped (in CI they run, and fail), and how
 * many failures it is: none, unless the servers are required.
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
        ? "Suites that make do with librdkafka's mock cluster ran against that, which is no broker."
        : `There was no mock of it either: ${mock?.why ?? 'it was not asked for'}.`;
    missing.push([
      'Kafka',
      'every suite that needs a broker: the relay, topics, outages, the stack',
      kafka.why,
      instead,
    ]);
  }
  if (!redis.ok) {
    env.VUKA_TEST_REDIS_WHY = redis.why;
    missing.push(['Redis', 'every suite that needs one: jobs and limits shared by processes, the stack', redis.why]);
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
