import { NestFactory } from '@nestjs/core';
import type { AsyncMicroserviceOptions } from '@nestjs/microservices';
import type { InternalHandlers, offrampApi } from '@vuka/contracts';
import { ok } from '@vuka/domain';
import { EventServer } from '@vuka/messaging/event-server';
import { Database, ensureMonthlyPartitions } from '@vuka/persistence';
import {
  answerWithin,
  Metrics,
  nestLogger,
  runLoop,
  type RunningLoop,
  type RunningService,
  WakeSignal,
} from '@vuka/runtime';

import {
  accountOf,
  DepositAddresses,
  loadOwnAddresses,
  loadRefundWallets,
  openAddressSources,
} from './addresses/index.js';
import { PageByAge, PageOrders, PageRefunds, WatchArrivals } from './alerts/index.js';
import { AppModule, type OfframpDependencies, type OfframpGround, Rechecks, Returns } from './app.module.js';
import { readersWith, ServedChains } from './chains/index.js';
import { CreditUnapplied, LookAtClaims } from './claim-work/index.js';
import { ListNetworks } from './networks/index.js';
import { PassWatches, ReserveOrder } from './orders/index.js';
import { CheckQuote, GiveQuote, QuoteStore } from './quotes/index.js';
import { HttpRateSource, Rates, type RateSource, sandboxRates } from './rates/index.js';
import { ScanChains } from './scans/index.js';
import { CheckRefundAddress, loadScreening } from './screening/index.js';
import { OFFRAMP_MIGRATIONS } from './store/migrations.js';
import { OutgoingChains, WorkOnRefunds } from './transfers/index.js';

export interface OfframpService extends RunningService {
  readonly handlers: InternalHandlers<typeof offrampApi>;
  /** Where its outbox is. */
  readonly db: Database;
}

/** What start-up gets from the module. */
interface App {
  get<T>(token: abstract new (...args: never[]) => T): T;
  listen(): Promise<unknown>;
  close(): Promise<void>;
}

const PARTITIONED_TABLES = ['outbox', 'inbox'];
const MONTHS_AHEAD = 2;
/** Quotes that nobody used are forgotten this long after they expired. */
const QUOTES_KEPT_MS = 7 * 24 * 3_600_000;
/** How often claims are looked for unwoken: the shortest time between two looks at one. */
const IDLE_MS = 1_000;
/** What is read of a chain is recorded within this. */
const DRAIN_MS = 3_000;

/**
 * Connects, migrates and subscribes: call it before the wire and the job clock are started. Claims are taken in once the wire runs, and
 * looked at from this service's own start on. Throws BootError where an endpoint serves another chain than it is configured for.
 */
export async function startOfframp(deps: OfframpDependencies): Promise<OfframpService> {
  const ground = await openGround(deps);
  try {
    const app = await openApp(deps, ground);
    return serviceOf(app, deps, ground);
  } catch (error) {
    await closeGround(ground);
    throw error;
  }
}

async function openGround(deps: OfframpDependencies): Promise<OfframpGround> {
  const { settings, clock, log, metrics = new Metrics('offramp') } = deps;
  const screening = await loadScreening(settings.chains.screeningFile, settings.env);
  const listedOwn = await loadOwnAddresses(settings.chains.ownAddressesFile);
  const { stellarAccount } = settings.chains;
  const refundWallets = await loadRefundWallets(settings.chains, settings.env);
  const ownAccounts = new Set([
    ...listedOwn,
    ...[...refundWallets.values()].map(({ address }) => accountOf(address)),
    ...(stellarAccount === null ? [] : [accountOf(stellarAccount)]),
  ]);
  const addressSources = await openAddressSources(settings.chains, new Set(Object.keys(settings.chains.endpoints)));
  const db = await Database.connect({ ...deps.database, migrations: OFFRAMP_MIGRATIONS });
  try {
    await db.migrate();
    const served = await ServedChains.open(settings.chains, deps.openReader ?? readersWith({ log, metrics, clock }));
    return {
      db,
      served,
      screening,
      addressSources,
      refundWallets,
      listedOwn: ownAccounts,
      metrics,
      rateSource: rateSourceOf(deps),
    };
  } catch (error) {
    await db.close();
    throw error;
  }
}

async function closeGround({ db, served, rateSource }: OfframpGround): Promise<void> {
  await rateSource.close();
  await served.close();
  await db.close();
}

async function openApp(deps: OfframpDependencies, ground: OfframpGround): Promise<App> {
  const options: AsyncMicroserviceOptions = {
    inject: [EventServer],
    useFactory: (strategy: EventServer) => ({ strategy }),
  };
  const app = await NestFactory.createMicroservice(AppModule.of(deps, ground), {
    ...options,
    logger: nestLogger(deps.log),
    abortOnError: false,
  });
  await makePartitions(ground.db, deps);
  await app.get(DepositAddresses).check();
  const rates = app.get(Rates);
  await rates.remember();
  await rates.refresh();
  await app.listen();
  return app;
}

function serviceOf(app: App, deps: OfframpDependencies, ground: OfframpGround): OfframpService {
  const { jobs, clock, log, settings } = deps;
  const quotes = app.get(QuoteStore);
  const { db } = ground;
  const looks = app.get(LookAtClaims);
  const again = [app.get(Rechecks), app.get(Returns), app.get(WorkOnRefunds), app.get(ScanChains)] as const;
  const signal = app.get(WakeSignal);
  const pager = app.get(PageByAge);
  const arrivals = app.get(WatchArrivals);
  const rates = app.get(Rates);
  jobs.every('offramp.look-at-claims', () => signal.notify());
  const refundPager = app.get(PageRefunds);
  const orderPager = app.get(PageOrders);
  const passes = app.get(PassWatches);
  jobs.every('offramp.page-by-age', () =>
    Promise.all([pager.run(), refundPager.run(), arrivals.run(), orderPager.run()]).then(() => undefined),
  );
  jobs.every('offramp.refresh-rates', () => rates.refresh());
  jobs.every('offramp.forget-quotes', () => quotes.forgetIdle(new Date(clock.now().getTime() - QUOTES_KEPT_MS)));
  jobs.every('offramp.make-partitions', () => makePartitions(db, deps));
  const loops: RunningLoop[] = [];
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await app.close();
    await Promise.all(loops.map((loop) => loop.stop()));
    // What was asked of a chain ends with its connections; a look that goes on all the same is left to its lease.
    await ground.served.close();
    await app.get(OutgoingChains).close();
    await answerWithin(DRAIN_MS, Promise.all([looks.drain(), ...again.map((one) => one.drain())]), undefined);
    await closeGround(ground);
  };
  return {
    name: 'offramp',
    db,
    handlers: handlersOf(app),
    start: async () => {
      if (loops.length > 0) return;
      loops.push(runLoop({ name: 'look-at-claims', tick: () => looks.tick(), signal, idleMs: IDLE_MS, log }));
      for (const one of again)
        loops.push(runLoop({ name: one.name, tick: () => one.tick(), signal: one.signal, idleMs: IDLE_MS, log }));
      loops.push(
        runLoop({ name: 'pass-orders', tick: () => passes.tick(), signal: new WakeSignal(), idleMs: IDLE_MS, log }),
      );
      if (settings.chains.unapplied === 'keep') return;
      const credits = app.get(CreditUnapplied);
      loops.push(
        runLoop({
          name: 'credit-unapplied',
          tick: () => credits.tick(),
          signal: new WakeSignal(),
          idleMs: IDLE_MS,
          log,
        }),
      );
    },
    ready: async () => {
      if (loops.length === 0) return 'not started';
      await db.ping();
      return true;
    },
    stop: () => (stopped ??= stop()),
  };
}

function handlersOf(app: App): InternalHandlers<typeof offrampApi> {
  const networks = app.get(ListNetworks);
  const rates = app.get(Rates);
  const giveQuote = app.get(GiveQuote);
  const checkQuote = app.get(CheckQuote);
  const checkRefundAddress = app.get(CheckRefundAddress);
  const reserveOrder = app.get(ReserveOrder);
  return {
    listNetworks: async ({ partner_id }) => {
      const found = await networks.of(partner_id);
      return found.ok ? ok({ networks: found.value }) : found;
    },
    listChains: async () => ok({ chains: await networks.chains() }),
    exchangeRate: async ({ currency }) => rates.exchangeRate(currency),
    quote: (input) => giveQuote.run(input),
    checkQuote: (input) => checkQuote.run(input),
    checkRefundAddress: (input) => checkRefundAddress.run(input),
    reserveOrder: (input, context) => reserveOrder.run(input, context),
  };
}

function rateSourceOf({ settings, clock }: OfframpDependencies): RateSource {
  if (settings.rates.url !== null) return new HttpRateSource(settings.rates.url);
  if (settings.env === 'sandbox') return sandboxRates(clock);
  return {
    read: () => Promise.reject(new Error('there is no source of rates: RATES_URL is not set')),
    close: async () => undefined,
  };
}

/** A month that cannot be made is an alarm and no outage: its rows go to the default partition. */
async function makePartitions(db: Database, { clock, log }: OfframpDependencies): Promise<void> {
  for (const table of PARTITIONED_TABLES) {
    try {
      await ensureMonthlyPartitions(db, table, clock.now(), MONTHS_AHEAD);
    } catch (error) {
      log.error({ code: 'partition_missing', err: error, table }, 'monthly partitions could not be made');
    }
  }
}
