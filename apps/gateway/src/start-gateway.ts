import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AddressRanges, type Settings } from '@vuka/config';
import type { gatewayApi, InternalHandlers } from '@vuka/contracts';
import type { Currencies } from '@vuka/domain';
import { outboundPolicy, type RateLimitStore, TokenBuckets } from '@vuka/http';
import type { JobClock } from '@vuka/jobs';
import type { Wire } from '@vuka/messaging';
import { Database, ensureMonthlyPartitions, type DatabaseConfig } from '@vuka/persistence';
import type { Clock, Logger, MonotonicClock, RunningService } from '@vuka/runtime';

import type { UseCaseOptions } from './app.module.js';
import { ServedChains, type ServedChainsOptions } from './chains/index.js';
import { createGatewayApp } from './gateway-app.js';
import type { Readiness } from './health/index.js';
import {
  AcceptedBefore,
  type AcceptedBeforeOptions,
  IdempotencyStore,
  RunOnce,
  sweepIdempotencyKeys,
} from './idempotency/index.js';
import { ApiKeyEntity, AuthenticateCaller, KeysStore, PartnerEntity, UsedKeys } from './keys/index.js';
import { RateLimits } from './limits/index.js';
import { EnsureSandboxPartner, listenToEvents, PartnersStore } from './partners/index.js';
import { PublicAddress } from './public-address.js';
import { gatewayMigrations } from './store/migrations.js';

export interface GatewayDependencies {
  readonly settings: Settings;
  readonly database: Omit<DatabaseConfig, 'migrations' | 'entities'>;
  /** Clients of the services asked: only the operations that are used. */
  readonly payments: UseCaseOptions['payments'] & AcceptedBeforeOptions['payments'];
  readonly validation: UseCaseOptions['validation'];
  readonly offramp: UseCaseOptions['offramp'] & ServedChainsOptions['offramp'];
  readonly checkout: UseCaseOptions['checkout'];
  readonly notifier: UseCaseOptions['notifier'];
  /** With this deployment's limits and service fees. */
  readonly currencies: Currencies;
  readonly wire: Pick<Wire, 'subscribe'>;
  readonly jobs: Pick<JobClock, 'every'>;
  readonly clock: Clock & MonotonicClock;
  /** Whether it is the database's, too; left out where both are of one machine. */
  readonly clockAgrees?: () => Promise<boolean>;
  readonly log: Logger;
  /** `keyPepper`: at least 32 random bytes, kept outside the database; a new one voids every key. */
  readonly secrets: { readonly keyPepper: Buffer };
  /** The whole composition's state, for GET /health/ready. */
  readonly readiness: () => Promise<Readiness>;
  /** Where limits are counted: one that all gateways share, or by default this process's memory. Its owner closes it. */
  readonly rateLimitStore?: RateLimitStore;
}

export interface GatewayService extends RunningService {
  readonly handlers: InternalHandlers<typeof gatewayApi>;
  /** Where its outbox is. */
  readonly db: Database;
  /** The first half of stop(), for who reads the outbox until the second: no new requests, those under way end. May be called twice. */
  closeApi(): Promise<void>;
  /** Where it listens (`http://127.0.0.1:3000`); known once started. */
  readonly baseUrl: string;
}

const PARTITIONED_TABLES = ['outbox', 'inbox'];
const MONTHS_AHEAD = 2;
/** Requests in flight get this long at shutdown: a call's 2 s deadline, and the database's around it. */
const DRAIN_MS = 8_000;

/** Connects, migrates and subscribes: call it before the wire and the job clock are started. Nothing listens before start(). */
export async function startGateway(deps: GatewayDependencies): Promise<GatewayService> {
  const { settings, clock, log, secrets } = deps;
  const db = await Database.connect({
    ...deps.database,
    migrations: gatewayMigrations,
    entities: [PartnerEntity, ApiKeyEntity],
  });
  await db.migrate();
  await makePartitions(db, deps);
  deps.jobs.every('gateway.make-partitions', () => makePartitions(db, deps));
  const partners = new PartnersStore(db);
  const keys = new IdempotencyStore(db, clock);
  const apiKeys = new KeysStore(db);
  const usedKeys = new UsedKeys({ store: apiKeys, clock, log });
  const authenticate = new AuthenticateCaller({
    environment: settings.env === 'live' ? 'live' : 'test',
    pepper: secrets.keyPepper,
    clock,
    loadKey: (visiblePrefix) => apiKeys.findKey(visiblePrefix),
  });
  const ensureSandboxPartner = new EnsureSandboxPartner({
    env: settings.env,
    partners,
    authenticate,
    pepper: secrets.keyPepper,
    clock,
  });
  const draining = { now: false };
  const chains = new ServedChains(deps);
  const address = new PublicAddress(settings);
  const app = await createGatewayApp({
    ...deps,
    authenticate,
    usedKeys,
    trustedProxies: settings.trustedProxies.length === 0 ? null : AddressRanges.of(settings.trustedProxies),
    limits: new RateLimits(settings.rateLimits, new TokenBuckets(clock, deps.rateLimitStore)),
    partners,
    draining,
    sandbox: settings.env === 'sandbox',
    runOnce: new RunOnce(keys, log),
    chains,
    acceptedBefore: new AcceptedBefore({ payments: deps.payments, keys, log }),
    outbound: outboundPolicy(settings),
    paymentUrl: (pageToken) => address.paymentUrl(pageToken),
    webhooks: {
      setDefaultUrl: (partnerId, url) => setDefaultUrl(partners, authenticate, { partnerId, url, now: clock.now() }),
    },
  });
  const sweeper = sweepIdempotencyKeys(keys, deps.jobs, log, deps.clockAgrees);
  const events = await listenToEvents({ db, wire: deps.wire, clock, log });
  return new Gateway(app, db, draining, settings, { sweeper, events, usedKeys, ensureSandboxPartner, chains, address });
}

/** Stored, and seen here at once: what is known of its keys has the URL in it. Other gateways see it within what they remember. */
async function setDefaultUrl(
  partners: PartnersStore,
  authenticate: AuthenticateCaller,
  { partnerId, url, now }: { partnerId: number; url: string | null; now: Date },
): Promise<void> {
  const prefixes = await partners.setWebhookUrl(partnerId, url, now);
  for (const prefix of prefixes) authenticate.forget(prefix);
}

class Gateway implements GatewayService {
  readonly name = 'gateway';
  readonly handlers: GatewayService['handlers'];
  private apiClosed: Promise<void> | undefined;
  private stopped: Promise<void> | undefined;

  constructor(
    private readonly app: NestFastifyApplication,
    readonly db: Database,
    private readonly draining: { now: boolean },
    private readonly settings: Pick<Settings, 'host' | 'port'>,
    private readonly parts: {
      readonly sweeper: { stop(): Promise<void> };
      readonly events: { close(): Promise<void> };
      readonly usedKeys: Pick<UsedKeys, 'start' | 'stop'>;
      readonly ensureSandboxPartner: EnsureSandboxPartner;
      readonly chains: Pick<ServedChains, 'all'>;
      readonly address: PublicAddress;
    },
  ) {
    this.handlers = { ensureSandboxPartner: (input) => this.parts.ensureSandboxPartner.run(input) };
  }

  get baseUrl(): string {
    const { family, address, port } = this.app.getHttpServer().address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${String(port)}`;
  }

  async start(): Promise<void> {
    await this.app.listen(this.settings.port, this.settings.host);
    this.parts.address.listensAt(this.baseUrl);
    this.parts.usedKeys.start();
    // Known before the first pay, which may come while offramp is away.
    void this.parts.chains.all();
  }

  async ready(): Promise<true | string> {
    if (this.draining.now) return 'shutting down';
    await this.db.ping();
    return true;
  }

  stop(): Promise<void> {
    this.stopped ??= this.shutDown();
    return this.stopped;
  }

  closeApi(): Promise<void> {
    this.apiClosed ??= this.drain();
    return this.apiClosed;
  }

  private async shutDown(): Promise<void> {
    await this.closeApi();
    await this.parts.events.close();
    await this.parts.sweeper.stop();
    await this.parts.usedKeys.stop();
    await this.db.close();
  }

  private async drain(): Promise<void> {
    this.draining.now = true;
    const closed = this.app.close();
    const late = await Promise.race([closed.then(() => false), sleep(DRAIN_MS, true, { ref: false })]);
    if (late) this.app.getHttpServer().closeAllConnections();
    await closed;
  }
}

/** A month that cannot be made is an alarm and no outage: its rows go to the default partition. */
async function makePartitions(db: Database, { clock, log }: Pick<GatewayDependencies, 'clock' | 'log'>): Promise<void> {
  for (const table of PARTITIONED_TABLES) {
    try {
      await ensureMonthlyPartitions(db, table, clock.now(), MONTHS_AHEAD);
    } catch (error) {
      log.error({ code: 'partition_missing', err: error, table }, 'monthly partitions could not be made');
    }
  }
}
