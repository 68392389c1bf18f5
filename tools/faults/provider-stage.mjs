import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { endChild, isRunning, spawnChild } from '../../apps/stack/dist/members/spawn-child.js';
import { credentialHash, newCallContext, HttpServices } from '../../libs/http/dist/index.js';
import { eventPairsOf, paymentsApi, SERVICES } from '../../libs/contracts/dist/index.js';
import { PortPicker, startLocalRedis } from '../../libs/local-servers/dist/index.js';
import { Database, ensureServiceLogins, startEmbeddedPostgres } from '../../libs/persistence/dist/index.js';
import { createLogger, Metrics, systemClock } from '../../libs/runtime/dist/index.js';
import { until } from '../../libs/testing/dist/index.js';
import { ROOT } from '../command/run.mjs';
import { WatchedLink } from './watched-link.mjs';

const HOST = '127.0.0.1';
const DATABASE = 'vuka';
const LOGINS = ['payments', 'gateway'];
/** Of the sandbox's own processes on this machine, for the time of a run. */
const [PASSWORD, TOKEN, OURS, CALLBACK_TOKEN] = ['p', 't', 'o', 'a1'].map((text) => text.repeat(text.length === 1 ? 43 : 24)); // prettier-ignore
const READY_WITHIN_MS = 300_000;
const CALL_WITHIN_MS = 30_000;
/** A dead process's claims lapse after three of these. */
const PROVIDER_ANSWERS_WITHIN_MS = 3_000;
const PARTNER = 7;
const AMOUNT_MINOR = '20000';

/**
 * payments, the gateway's door and a provider's simulator, each a process of its own, with links between them that are
 * watched. payments can be killed and started again.
 */
export class ProviderStage {
  #undo = [];
  #children = {};
  #log = createLogger('provider-kills', { level: 'silent' });

  /** `provider`: of killed-providers.mjs. */
  static async open(provider) {
    const folder = await mkdtemp(join(tmpdir(), 'vuka-provider-kills-'));
    const stage = new ProviderStage(provider, folder, new PortPicker());
    try {
      await stage.#begin();
    } catch (error) {
      await stage.close();
      throw error;
    }
    return stage;
  }

  constructor(provider, folder, ports) {
    this.provider = provider;
    this.secret = { ...provider.secret(), callback_token: CALLBACK_TOKEN };
    this.folder = folder;
    this.ports = ports;
  }

  /** `crashAt`: where it kills itself (libs/runtime, crash-points.ts). */
  async startPayments(crashAt = null) {
    const child = this.#spawn('payments', 'apps/payments/dist/main.js', {
      ...this.#environmentOf('payments'),
      ...(crashAt !== null && { VUKA_CRASH_AT: crashAt }),
    });
    const seen = await until(async () => (isRunning(child) ? this.#isReady(this.paymentsUrl) : 'ended'), {
      withinMs: READY_WITHIN_MS,
      what: 'payments is ready',
      everyMs: 50,
    });
    if (seen === 'ended' && crashAt === null)
      throw new Error(`payments has ended:\n${readFileSync(this.#logOf('payments'), 'utf8').slice(-2_000)}`);
  }

  /** kill -9. Resolves when it is gone. */
  async killPayments() {
    const child = this.#children.payments;
    if (!isRunning(child)) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  paymentsRuns() {
    return isRunning(this.#children.payments);
  }

  async openWallet(amountMinor) {
    const openings = [{ currency: this.provider.route.currency, amount_minor: amountMinor }];
    await this.setup.openSandboxWallets(
      { partner_id: PARTNER, openings },
      newCallContext({ budgetMs: CALL_WITHIN_MS }),
    );
  }

  /** Throws where there is no answer: asked again by the same code, it is one payout. */
  async accept({ code, digits }) {
    const accepted = await this.client.acceptPayout(
      {
        operation: 'disburse',
        partner_id: PARTNER,
        transaction_code: code,
        fingerprint: `v1:${code}`,
        currency: this.provider.route.currency,
        amount_minor: AMOUNT_MINOR,
        fee_minor: '0',
        destination: this.provider.destinationOf(digits),
        callback_url: null,
      },
      newCallContext({ budgetMs: CALL_WITHIN_MS }),
    );
    if (!accepted.ok) throw new Error(accepted.error.message);
  }

  /** Payments by the attempt that the provider's book has them under. */
  async paymentsByBookId() {
    const { payouts } = this.provider.book(await this.#control('GET', '/book'));
    return new Map(payouts.map(({ id, payments }) => [id, payments.length]));
  }

  async close() {
    for (const undo of this.#undo.splice(0).reverse()) await undo();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #begin() {
    for (const name of ['logs', 'secrets']) mkdirSync(join(this.folder, name), { mode: 0o700 });
    const { folder, ports } = this;
    this.postgres = this.#keep(
      await startEmbeddedPostgres({ folder: join(folder, 'postgres'), durable: true, log: this.#log }),
      (server) => server.stop(),
    );
    await ensureServiceLogins(this.postgres, DATABASE, LOGINS.map((name) => ({ name, password: PASSWORD }))); // prettier-ignore
    this.redis = this.#keep(await startLocalRedis({ folder: join(folder, 'redis'), log: this.#log }), (server) =>
      server.stop(),
    );
    const [paymentsPort, gatewayPort, apiPort] = [await ports.pick(), await ports.pick(), await ports.pick()];
    this.paymentsPort = paymentsPort;
    this.gatewayPort = gatewayPort;
    this.apiPort = apiPort;
    this.paymentsUrl = `http://${HOST}:${paymentsPort}`;
    this.calls = this.#keep(await WatchedLink.open(), (link) => link.close());
    this.callbacks = this.#keep(await WatchedLink.open(`http://${HOST}:${apiPort}`), (link) => link.close());
    await this.#startSimulator();
    this.#writeFiles();
    await this.startPayments();
    this.#undo.push(() => this.killPayments());
    this.#connect();
    this.#spawn('gateway', 'apps/gateway/dist/main.js', this.#environmentOf('gateway'));
    this.#undo.push(() => endChild(this.#children.gateway));
    await until(() => fetch(`http://${HOST}:${apiPort}/`).then(() => true, () => null), {
      withinMs: READY_WITHIN_MS,
      what: 'the gateway answers',
      everyMs: 100,
    }); // prettier-ignore
    const { host, port, user, password } = this.postgres;
    const place = { host, port, user, password, database: DATABASE, schema: 'payments' };
    this.db = this.#keep(
      await Database.connect({ ...place, maxConnections: 2, migrations: [], applicationName: 'provider-kills' }),
      (db) => db.close(),
    );
  }

  async #startSimulator() {
    const { id, name, floats, topUp } = this.provider;
    const [port, controlPort] = [await this.ports.pick(), await this.ports.pick()];
    this.controlUrl = `http://${HOST}:${controlPort}`;
    const [callbackUrl, approvalUrl] = ['callbacks', 'approvals'].map(
      (door) => `http://${this.callbacks.host}/${door}/${id}/${CALLBACK_TOKEN}`,
    );
    const settings = {
      ...this.provider.settings({ ...this.secret, callbackUrl, approvalUrl }),
      FOLDER: join(this.folder, id),
      PORT: port,
      CONTROL_PORT: controlPort,
    };
    const env = Object.entries(settings).map(([key, value]) => [`${id.toUpperCase()}_SIMULATOR_${key}`, String(value)]);
    const child = this.#spawn(id, `apps/sandbox/dist/providers/${id}/main.js`, Object.fromEntries(env));
    this.#undo.push(() => endChild(child));
    this.calls.target = `http://${HOST}:${port}`;
    await until(() => this.paymentsByBookId().catch(() => null), {
      withinMs: READY_WITHIN_MS,
      what: `${name} answers`,
      everyMs: 100,
    });
    for (const float of floats) await this.#control('POST', ...topUp(float));
  }

  async #control(method, path, body) {
    const answer = await fetch(this.controlUrl + path, {
      method,
      headers: { authorization: `Bearer ${this.secret.credential}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(CALL_WITHIN_MS),
    });
    if (answer.status !== 200) throw new Error(`${this.provider.name}'s control answers ${answer.status} to ${path}`);
    return answer.json();
  }

  #writeFiles() {
    const { id, row, route } = this.provider;
    const providers = [
      {
        id,
        base_url: `http://${this.calls.host}`,
        secret: id,
        accepts_stablecoin_funds: 'consent',
        call_timeout_ms: PROVIDER_ANSWERS_WITHIN_MS,
        ...row({ callbackHost: this.callbacks.host }),
      },
    ];
    const routes = [{ ...route, providers: [id] }];
    writeFileSync(join(this.folder, 'providers.json'), JSON.stringify({ providers, routes }));
    const key = Buffer.alloc(32, 7).toString('base64url');
    const accept = ['gateway', 'setup'].map((caller) => ({
      caller,
      credential_sha256: credentialHash(caller === 'setup' ? OURS : TOKEN),
    }));
    const common = { version: 1, env: 'sandbox', database_password: PASSWORD };
    const eventKeys = (others) => Object.fromEntries(others.map((other) => [other, [{ id: 'e1', key }]]));
    const event_keys = (service) => {
      const { to, from } = eventPairsOf(service);
      return { to: eventKeys(to), from: eventKeys(from) };
    };
    const secrets = {
      payments: {
        internal: { accept },
        cipher_keys: [{ id: 'k1', key }],
        index_keys: [{ id: 'i1', key }],
        webhook_keys: [{ id: 'w1', key }],
        providers: { [id]: this.secret },
      },
      gateway: {
        internal: { present: Object.fromEntries(SERVICES.gateway.calls.map((name) => [name, TOKEN])), accept: [] },
        cipher_keys: [{ id: 'k1', key }],
        index_keys: [{ id: 'i1', key }],
        webhook_keys: [{ id: 'w1', key }],
        key_peppers: [{ id: 'p1', key }],
      },
    };
    for (const service of LOGINS)
      writeFileSync(
        this.#secretsOf(service),
        JSON.stringify({ ...common, service, event_keys: event_keys(service), ...secrets[service] }),
        {
          mode: 0o600,
        },
      );
  }

  #secretsOf(service) {
    return join(this.folder, `secrets/${service}.json`);
  }

  /** No Kafka: events wait in the outbox, and no payout waits for them. */
  #environmentOf(service) {
    const nowhere = `${HOST}:9`;
    const { redis, postgres } = this;
    const urls = SERVICES[service].calls.map((name) => [
      `VUKA_${name.toUpperCase()}_URL`,
      name === 'payments' ? this.paymentsUrl : `http://${nowhere}`,
    ]);
    return {
      VUKA_DATABASE_URL: `postgres://vuka_${service}@${postgres.host}:${postgres.port}/${DATABASE}`,
      VUKA_KAFKA_BROKERS: nowhere,
      VUKA_REDIS_URL: `redis://${redis.host}:${redis.port}`,
      VUKA_INTERNAL_PORT: String(service === 'payments' ? this.paymentsPort : this.gatewayPort),
      VUKA_SECRETS_FILE: this.#secretsOf(service),
      VUKA_PROVIDERS_FILE: join(this.folder, 'providers.json'),
      ...Object.fromEntries(urls),
      ...(service === 'gateway' && { HOST, PORT: String(this.apiPort) }),
    };
  }

  #connect() {
    this.client = this.#clientAs(TOKEN);
    this.setup = this.#clientAs(OURS);
  }

  #clientAs(credential) {
    const services = new HttpServices({
      urls: { payments: this.paymentsUrl },
      credentials: { payments: credential },
      log: this.#log,
      clock: systemClock,
      metrics: new Metrics('provider-kills'),
    });
    this.#undo.push(() => services.close());
    return services.client(paymentsApi);
  }

  #spawn(name, program, env) {
    const child = spawnChild(join(ROOT, program), this.#logOf(name), env);
    this.#children[name] = child;
    return child;
  }

  #logOf(name) {
    return join(this.folder, `logs/${name}.log`);
  }

  /** Ready for callers; without Kafka health says so and is well. */
  async #isReady(url) {
    const answer = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(CALL_WITHIN_MS) }).catch(
      () => null,
    );
    return answer?.status === 200 || null;
  }

  #keep(server, stop) {
    this.#undo.push(() => stop(server));
    return server;
  }
}
