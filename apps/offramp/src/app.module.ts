import { Module, type DynamicModule, type FactoryProvider } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import type { JobClock } from '@vuka/jobs';
import { DeadLetterStore, type Wire } from '@vuka/messaging';
import { EventServer } from '@vuka/messaging/event-server';
import type { Database, DatabaseConfig } from '@vuka/persistence';
import { type Clock, type Logger, type Metrics, type MonotonicClock, WakeSignal } from '@vuka/runtime';

import {
  type AddressSources,
  AddressStore,
  DepositAddresses,
  OwnAddresses,
  type RefundWallets,
} from './addresses/index.js';
import {
  measureArrivals,
  meterRefunds,
  PageByAge,
  PageOrders,
  PageRefunds,
  RefundWatch,
  WatchArrivals,
} from './alerts/index.js';
import { ArrivalStore, ScanStore } from './arrivals/index.js';
import type { OpenReader, ServedChains } from './chains/index.js';
import { ClaimWatch, CreditUnapplied, LookAtClaims, OfframpMetrics } from './claim-work/index.js';
import {
  ClaimConsumer,
  ClaimStore,
  CONSUMER_GROUP,
  type DepositToRecheck,
  PartnerExposure,
  RecheckStore,
  RecordLook,
  type RevertedDeposit,
  TakeClaim,
} from './claims/index.js';
import { ListNetworks } from './networks/index.js';
import {
  OrderClaims,
  OrderWatchStore,
  PassWatches,
  RecordOrderLook,
  ReserveOrder,
  SettlementConsumer,
  TakeSettlement,
} from './orders/index.js';
import { CheckQuote, GiveQuote, QuoteStore } from './quotes/index.js';
import { rateRules, Rates, type RateSource, RateStore } from './rates/index.js';
import { ChainLooks, RecheckDeposits, RecordReversal, WatchReturns } from './rechecks/index.js';
import { PartnerConsumer, RecordPartnerStatus, RefundConsumer, RefundHold, TakeRefund } from './refund-intake/index.js';
import { DueRefunds, RecordRefund } from './refunds/index.js';
import { RecordPage, ScanChains, WatchedAddresses } from './scans/index.js';
import { CheckRefundAddress, type Screening } from './screening/index.js';
import { Switches, SwitchStore } from './switches/index.js';
import {
  makeRefunds,
  type OpenOutgoing,
  OutgoingChains,
  outgoingOf,
  refundGuards,
  WorkOnRefunds,
} from './transfers/index.js';

/** What offramp is given by whoever composes it. */
export interface OfframpDependencies {
  readonly settings: Pick<Settings, 'env' | 'chains' | 'rates'>;
  readonly database: Omit<DatabaseConfig, 'migrations' | 'entities'>;
  readonly wire: Pick<Wire, 'subscribe'>;
  readonly jobs: Pick<JobClock, 'every'>;
  /** Told after each commit that wrote to the outbox: the relay's signal. */
  readonly outboxSignal: WakeSignal;
  readonly clock: Clock & MonotonicClock;
  readonly log: Logger;
  readonly metrics?: Metrics;
  /** Reads chains by JSON-RPC unless something else is given. */
  readonly openReader?: OpenReader;
  /** Sends on chains by the same endpoints unless something else is given. */
  readonly openOutgoing?: OpenOutgoing;
}

/** What is opened before the module is made. */
export interface OfframpGround {
  readonly db: Database;
  readonly served: ServedChains;
  readonly screening: Screening;
  readonly addressSources: AddressSources;
  readonly refundWallets: RefundWallets;
  /** Addresses of ours beside the deposit addresses, as loadOwnAddresses gives them. */
  readonly listedOwn: ReadonlySet<string>;
  readonly rateSource: RateSource;
  readonly metrics: Metrics;
}

/** Events the wire hands over at the same time: each is a commit, and connections are few. */
const EVENTS_AT_ONCE = 8;

type Class<T> = abstract new (...args: never[]) => T;
type Providers = FactoryProvider<unknown>[];

function provide<T>(
  token: Class<T>,
  inject: Class<unknown>[],
  useFactory: (...parts: never[]) => T,
): FactoryProvider<T> {
  return { provide: token, inject, useFactory } as unknown as FactoryProvider<T>;
}

/** What offramp is made of. */
@Module({})
export class AppModule {
  public static of(deps: OfframpDependencies, ground: OfframpGround): DynamicModule {
    return {
      module: AppModule,
      controllers: [ClaimConsumer, RefundConsumer, SettlementConsumer, PartnerConsumer],
      providers: [
        ...stores(ground),
        ...askedByOthers(deps, ground),
        ...claims(deps, ground),
        ...orders(deps, ground),
        ...rechecks(deps, ground),
        ...arrivals(deps, ground),
        ...refunds(deps, ground),
      ],
    };
  }
}

function stores({ db }: OfframpGround): Providers {
  return [
    provide(AddressStore, [], () => new AddressStore(db)),
    provide(ClaimWatch, [], () => new ClaimWatch(db)),
    provide(QuoteStore, [], () => new QuoteStore(db)),
    provide(RateStore, [], () => new RateStore(db)),
    provide(SwitchStore, [], () => new SwitchStore(db)),
  ];
}

/** Answers to internal calls. */
function askedByOthers(
  { settings, clock, log }: OfframpDependencies,
  { db, served, rateSource, addressSources: sources, listedOwn }: OfframpGround,
): Providers {
  return [
    provide(DepositAddresses, [], () => new DepositAddresses({ db, sources, served: served.names, clock, log })),
    provide(OwnAddresses, [AddressStore], (store: AddressStore) => new OwnAddresses(store, listedOwn)),
    provide(
      CheckRefundAddress,
      [OwnAddresses],
      (own: OwnAddresses) => new CheckRefundAddress(own, sources, served.names),
    ),
    provide(Switches, [SwitchStore], (store: SwitchStore) => new Switches(store, clock)),
    provide(
      ListNetworks,
      [DepositAddresses, Switches],
      (addresses: DepositAddresses, switches: Switches) => new ListNetworks(addresses, served.names, switches),
    ),
    provide(
      Rates,
      [RateStore],
      (store: RateStore) => new Rates(rateSource, store, rateRules(settings.rates), clock, log),
    ),
    provide(
      GiveQuote,
      [QuoteStore, Rates, DepositAddresses, Switches],
      (quotes: QuoteStore, rates: Rates, addresses: DepositAddresses, switches: Switches) =>
        new GiveQuote(quotes, rates, addresses, switches, clock, settings.rates.mostOpenQuotesCents),
    ),
    provide(CheckQuote, [QuoteStore], (quotes: QuoteStore) => new CheckQuote(quotes, clock)),
  ];
}

/** From a claim that comes in to what is told of it. */
function claims(
  { settings, wire, clock, log, outboxSignal }: OfframpDependencies,
  { db, served, screening, metrics }: OfframpGround,
): Providers {
  return [
    provide(WakeSignal, [], () => new WakeSignal()),
    provide(
      EventServer,
      [],
      () =>
        new EventServer({
          group: CONSUMER_GROUP,
          wire,
          deadLetters: new DeadLetterStore(db),
          concurrency: EVENTS_AT_ONCE,
        }),
    ),
    provide(OfframpMetrics, [ClaimWatch], (watch: ClaimWatch) => new OfframpMetrics(metrics, watch, clock)),
    provide(
      TakeClaim,
      [Rates, WakeSignal],
      (rates: Rates, signal: WakeSignal) => new TakeClaim(db, rates, signal, clock, settings.chains.searchMs),
    ),
    provide(
      LookAtClaims,
      [DepositAddresses, OwnAddresses, Rates, WakeSignal, OfframpMetrics, Switches],
      (
        addresses: DepositAddresses,
        own: OwnAddresses,
        rates: Rates,
        signal: WakeSignal,
        meters: OfframpMetrics,
        switches: Switches,
      ) =>
        new LookAtClaims({
          claims: new ClaimStore(db),
          chains: served.byName,
          addresses,
          own,
          rates,
          signal,
          switches,
          metrics: meters,
          screening,
          clock,
          log,
          exposure: new PartnerExposure(db, settings.chains.exposureLimitCents),
          record: new RecordLook(db, outboxSignal, clock, settings.chains.exposureLimitCents),
          recordOrder: new RecordOrderLook(db, outboxSignal, clock, settings.chains.exposureLimitCents),
        }),
    ),
    provide(
      CreditUnapplied,
      [Rates, Switches],
      (rates: Rates, switches: Switches) => new CreditUnapplied(db, rates, switches, outboxSignal, clock),
    ),
    provide(
      PageByAge,
      [ClaimWatch, Switches],
      (watch: ClaimWatch, switches: Switches) => new PageByAge(watch, switches, served.names, clock, log),
    ),
  ];
}

/** What orders of checkout ask for, and say. */
function orders({ clock, log, outboxSignal }: OfframpDependencies, { db, served }: OfframpGround): Providers {
  return [
    provide(PassWatches, [], () => new PassWatches(db, outboxSignal, clock)),
    provide(PageOrders, [], () => new PageOrders(new OrderWatchStore(db), clock, log)),
    provide(
      ReserveOrder,
      [Rates, DepositAddresses, Switches],
      (rates: Rates, addresses: DepositAddresses, switches: Switches) =>
        new ReserveOrder({ db, rates, addresses, switches, scans: new ScanStore(db), served: served.names, clock }),
    ),
    provide(TakeSettlement, [], () => new TakeSettlement(db)),
  ];
}

/** From value that is held to a transfer that is final. */
function refunds(
  { settings, clock, log, outboxSignal, openOutgoing }: OfframpDependencies,
  { db, served, screening, refundWallets: wallets, metrics }: OfframpGround,
): Providers {
  const outgoing = new OutgoingChains(
    served.names,
    openOutgoing ?? outgoingOf(settings.chains, { log, metrics, clock }),
  );
  return [
    provide(DueRefunds, [], () => new DueRefunds()),
    provide(OutgoingChains, [], () => outgoing),
    provide(PageRefunds, [], () => {
      const watch = new RefundWatch(db);
      meterRefunds(metrics, watch, clock);
      return new PageRefunds(watch, clock, log);
    }),
    provide(RecordPartnerStatus, [DueRefunds], (signal: DueRefunds) => new RecordPartnerStatus(db, signal, clock)),
    provide(TakeRefund, [], () => new TakeRefund(db, clock)),
    provide(
      RefundHold,
      [DueRefunds],
      (signal: DueRefunds) => new RefundHold(db, new RecordRefund(db, outboxSignal, clock), signal, clock),
    ),
    provide(
      WorkOnRefunds,
      [DueRefunds, CheckRefundAddress, Switches],
      (signal: DueRefunds, check: CheckRefundAddress, switches: Switches) =>
        makeRefunds({
          db,
          wallets,
          outgoing,
          guards: refundGuards(check, switches, screening),
          signal,
          outboxSignal,
          clock,
          log,
        }),
    ),
  ];
}

/** Looks at deposits whose blocks may still vanish. */
export class Rechecks extends ChainLooks<DepositToRecheck> {}
/** Looks for deposits that vanished. */
export class Returns extends ChainLooks<RevertedDeposit> {}

/** What was told of, until its block stays for good. */
function rechecks({ clock, log, outboxSignal }: OfframpDependencies, { db, served }: OfframpGround): Providers {
  const store = new RecheckStore(db);
  const around = { chains: served.byName, clock, log };
  return [
    provide(
      RecordReversal,
      [OfframpMetrics],
      (meters: OfframpMetrics) => new RecordReversal(db, outboxSignal, meters, clock, log),
    ),
    provide(
      RecheckDeposits,
      [RecordReversal, Switches, OfframpMetrics],
      (reversals: RecordReversal, switches: Switches, meters: OfframpMetrics) =>
        new RecheckDeposits({ store, reversals, switches, metrics: meters, clock, log }),
    ),
    provide(
      Rechecks,
      [RecheckDeposits],
      (work: RecheckDeposits) =>
        new Rechecks({
          ...around,
          name: 'recheck-deposits',
          signal: new WakeSignal(),
          claim: (...taking) => store.claim(...taking),
          look: (taken, chain) => work.look(taken, chain),
        }),
    ),
    provide(
      WatchReturns,
      [OwnAddresses, Switches],
      (own: OwnAddresses, switches: Switches) => new WatchReturns({ db, own, switches, outboxSignal, clock, log }),
    ),
    provide(
      Returns,
      [WatchReturns],
      (work: WatchReturns) =>
        new Returns({
          ...around,
          name: 'watch-returns',
          signal: new WakeSignal(),
          claim: (...taking) => store.claimReverted(...taking),
          look: (taken, chain) => work.look(taken, chain),
        }),
    ),
  ];
}

/** What comes to addresses of ours, whoever claims it. */
function arrivals({ clock, log }: OfframpDependencies, { db, served, metrics }: OfframpGround): Providers {
  const [kept, pages] = [new ArrivalStore(db), new ScanStore(db)];
  const parts = {
    pages,
    addresses: new WatchedAddresses(db),
    chains: served.byName,
    signal: new WakeSignal(),
    clock,
    log,
  };
  return [
    provide(
      ScanChains,
      [WakeSignal],
      (claims: WakeSignal) => new ScanChains({ ...parts, record: new RecordPage(db, OrderClaims, claims, clock, log) }),
    ),
    provide(WatchArrivals, [Switches], (switches: Switches) => {
      measureArrivals(metrics, { arrivals: kept, scans: pages, switches, clock });
      return new WatchArrivals(kept, pages, served.names, clock, log);
    }),
  ];
}
