// Vuka as docs/operators/going-live.md has it: each service a process of its own with VUKA_ENV=live, its settings in
// its environment and its secrets in a file of its own. No setting of tests, none of the sandbox.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Agent, fetch } from 'undici';

import { ROOT } from '../command/run.mjs';
import { lookUntil } from '../demo/look.mjs';
import { secret, secretFiles } from './secret-files.mjs';

const HOST = '127.0.0.1';
const DATABASE = 'vuka';
const TOPICS = { partitions: 3, replication: 1, retentionMs: 7 * 24 * 3_600_000 };
const READY_WITHIN_MS = 90_000;
const ANSWER_WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 200;

/** PostgreSQL with a login and a schema for each service, Kafka with its topics, Redis with a password. */
export async function startServers({ folder, step }) {
  const [{ startEmbeddedPostgres, ensureServiceLogins }, local, { ensureTopics }, { createLogger }, services] =
    await Promise.all([
      import('../../libs/persistence/dist/index.js'),
      import('../../libs/local-servers/dist/index.js'),
      import('../../libs/messaging/dist/kafka/kafka-topics.js'),
      import('../../libs/runtime/dist/index.js'),
      import('../../libs/contracts/dist/services.js'),
    ]);
  const log = createLogger('rehearsal', { level: 'silent' });
  const owners = services.SERVICE_NAMES.filter((name) => services.SERVICES[name].databaseConnections > 0);
  const passwords = Object.fromEntries(owners.map((name) => [name, secret()]));
  const redisPassword = secret();
  const started = [];
  const keep = (server) => (started.push(server), server);
  const stop = () => Promise.allSettled(started.map((server) => server.stop()));
  try {
    const [database, kafka, redis] = await Promise.all([
      step('PostgreSQL, a login for each service', async () => {
        const server = keep(await startEmbeddedPostgres({ folder: join(folder, 'postgres'), durable: true, log }));
        const logins = owners.map((name) => ({ name, password: passwords[name] }));
        await ensureServiceLogins(server, DATABASE, logins);
        return server;
      }),
      step('Kafka, its topics', async () => {
        const server = keep(await local.startLocalKafka({ folder: join(folder, 'kafka'), log }));
        const brokers = [`${server.host}:${server.port}`];
        await ensureTopics({ brokers, prefix: 'live.', tls: null, sasl: null }, log, TOPICS);
        return brokers;
      }),
      step('Redis', async () =>
        keep(await local.startLocalRedis({ folder: join(folder, 'redis'), log, password: redisPassword })),
      ),
    ]);
    return { database, kafka, redis: { host: redis.host, port: redis.port, password: redisPassword }, passwords, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** In the place of servers that nobody will look for. */
export async function noServers() {
  const { SERVICE_NAMES } = await import('../../libs/contracts/dist/services.js');
  const nowhere = { host: HOST, port: 1 };
  const passwords = Object.fromEntries(SERVICE_NAMES.map((name) => [name, secret()]));
  return { database: nowhere, kafka: [`${HOST}:1`], redis: { ...nowhere, password: secret() }, passwords };
}

/** Writes a file of secrets for each service, and gives the environment of each. */
export async function configure({ folder, servers, ports, people, authority, authorityFile, api, outside }) {
  const { SERVICES, SERVICE_NAMES } = await import('../../libs/contracts/dist/services.js');
  const internal = {};
  for (const name of SERVICE_NAMES) {
    const present = Object.fromEntries(SERVICES[name].calls.map((callee) => [callee, secret()]));
    internal[name] = { port: await ports.pick(), present };
  }
  /** People reach admin on this machine, without TLS; services reach each other with it. */
  const hasTls = (name) => name !== 'admin';
  const urlOf = (name) => `${hasTls(name) ? 'https' : 'http'}://${HOST}:${internal[name].port}`;
  const fileOf = (name, kind) => join(folder, `secrets/${name}.${kind}.pem`);

  const secretsOf = await secretFiles({ servers, people, outside, internal });
  const environmentOf = (service) => {
    const { calls, databaseConnections, gathers, providers, routes = false } = SERVICES[service];
    return {
      VUKA_ENV: 'live',
      // Some machines have no other user.
      ...(process.getuid?.() === 0 && { VUKA_ACCEPT_RISK: 'runs-as-root' }),
      NODE_EXTRA_CA_CERTS: authorityFile,
      VUKA_SECRETS_FILE: join(folder, `secrets/${service}.json`),
      VUKA_INTERNAL_PORT: String(internal[service].port),
      ...(hasTls(service) && {
        VUKA_INTERNAL_TLS: 'true',
        VUKA_INTERNAL_CERT_FILE: fileOf(service, 'cert'),
        VUKA_INTERNAL_KEY_FILE: fileOf(service, 'key'),
        VUKA_INTERNAL_CA_FILE: authorityFile,
      }),
      VUKA_KAFKA_BROKERS: servers.kafka.join(','),
      VUKA_REDIS_URL: `redis://${servers.redis.host}:${servers.redis.port}`,
      ...Object.fromEntries([...calls, ...gathers].map((name) => [`VUKA_${name.toUpperCase()}_URL`, urlOf(name)])),
      ...(databaseConnections > 0 && {
        VUKA_DATABASE_URL: `postgres://vuka_${service}@${servers.database.host}:${servers.database.port}/${DATABASE}`,
      }),
      ...((providers || routes) && { VUKA_PROVIDERS_FILE: outside.providersFile }),
      ...(service === 'offramp' && outside.offrampSettings),
      ...(service === 'gateway' && { PORT: String(api.port), PUBLIC_URL: api.publicUrl, TRUSTED_PROXIES: HOST }),
    };
  };
  for (const name of SERVICE_NAMES) {
    writeFileSync(join(folder, `secrets/${name}.json`), JSON.stringify(secretsOf(name), null, 2), { mode: 0o600 });
    for (const [kind, pem] of Object.entries(await authority.issue(name, [HOST])))
      writeFileSync(fileOf(name, kind), pem, { mode: 0o600 });
  }
  return {
    names: SERVICE_NAMES,
    environments: Object.fromEntries(SERVICE_NAMES.map((name) => [name, environmentOf(name)])),
    urls: Object.fromEntries(SERVICE_NAMES.map((name) => [name, urlOf(name)])),
  };
}

/** Suites start bundles, which load in a third of the time (docs/engineers/testing.md). */
const PROGRAMS = process.env.VUKA_TEST_PROGRAMS || ROOT;
export const programOf = (service) => join(PROGRAMS, `apps/${service}/dist/main.js`);

/** Resolves when all say that they are ready. Throws with what the first that ended has said. */
export async function startServices({ folder, authority, names, environments, urls }) {
  const { spawnChild, endChild, isRunning } = await import('../../apps/stack/dist/members/spawn-child.js');
  const look = lookInside(authority);
  const logOf = (name) => join(folder, `logs/${name}.log`);
  const children = names.map((name) => ({ name, child: spawnChild(programOf(name), logOf(name), environments[name]) }));
  const stop = async () => {
    const [front, rest] = [children.filter(({ name }) => name === 'gateway'), children];
    for (const group of [front, rest])
      await Promise.allSettled(group.filter(({ child }) => isRunning(child)).map(({ child }) => endChild(child)));
  };
  try {
    await Promise.all(
      children.map(({ name, child }) =>
        untilReady({ name, child, isRunning, look: () => look(`${urls[name]}/health/ready`), log: logOf(name) }),
      ),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop, alarms: () => names.flatMap((name) => alarmsIn(name, logOf(name))) };
}

/** Asks an internal server by GET, as whoever believes its authority: `{ status, text }`. */
export function lookInside(authority) {
  const dispatcher = new Agent({ connect: { ca: authority.pem } });
  return async (url) => {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS), dispatcher });
    return { status: answer.status, text: await answer.text() };
  };
}

async function untilReady({ name, child, isRunning, look: ask, log }) {
  const look = async () => {
    if (!isRunning(child)) return 'ended';
    const answer = await ask().catch(() => null);
    return answer?.status === 200 ? 'ready' : answer?.text;
  };
  const state = await lookUntil(look, (seen) => seen === 'ready' || seen === 'ended', READY_WITHIN_MS, LOOK_EVERY_MS);
  if (state === 'ready') return;
  const said = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n').slice(-4).join('\n  ') : '';
  throw new Error(`${name} is not ready (${state ?? 'no answer'}):\n  ${said}`);
}

/** Lines at level error with a code reach a person (docs/operators/going-live.md, step 12). */
function alarmsIn(service, file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{"level":"error"'))
    .map((line) => JSON.parse(line))
    .map(({ code, msg }) => ({ service, code: code ?? null, message: msg }));
}
