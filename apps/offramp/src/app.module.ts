import { Module, type DynamicModule, type FactoryProvider } from '@nestjs/common';
import { assertXpub, deriveEvmAddress } from '@vuka/chains';
import type { JobClock } from '@vuka/jobs';
import { DeadLetterStore, EventServer, type Wire } from '@vuka/messaging';
import type { Database, DatabaseConfig } from '@vuka/persistence';
import { WakeSignal, type Clock, type Logger, type Metrics, type MonotonicClock, type Settings } from '@vuka/platform';

import { CreditUnapplied } from './claims/credit-unapplied.js';
import { LookAtClaims } from './claims/look-at-claims.js';
import { RecordLook } from './claims/record-look.js';
import { CONSUMER_GROUP, TakeClaim } from './claims/take-claim.js';
import { ClaimConsumer } from './consumers/claim.consumer.js';
import { DepositAddresses } from './deposit-addresses.js';
import { ListNetworks } from './list-networks.js';
import { OfframpMetrics } from './offramp-metrics.js';
import { OwnAddresses } from './own-addresses.js';
import { PageByAge } from './page-by-age.js';
import { CheckQuote } from './quotes/check-quote.js';
import { GiveQuote } from './quotes/give-quote.js';
import { QuoteStore } from './quotes/quote.store.js';
import { rateRules } from './rates/rate-rules.js';
import type { RateSource } from './rates/rate-source.js';
import { RateStore } from './rates/rate.store.js';
import { Rates } from './rates/rates.js';
import { SANDBOX_XPUB } from './sandbox-xpub.js';
import type { Screening } from './screening.js';
import type { OpenReader, ServedChains } from './served-chains.js';
import { AddressStore } from './store/address.store.js';
import { ClaimStore } from './store/claim.store.js';
import { ClaimWatch } from './store/claim-watch.js';

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
}

/** What is opened before the module is made. */
export interface OfframpGround {
  readonly db: Database;
  readonly served: ServedChains;
  readonly screening: Screening;
  /** Addresses of ours beside the deposit addresses, in EIP-55. */
  readonly listedOwn: ReadonlySet<string>;
  readonly rateSource: RateSource;
  readonly metrics: Metrics;
}

/** Events the wire hands over at the same time: each is a commit, and connections are few. */
const EVENTS_AT_ONCE = 8;

type Class<T> = abstract new (...args: never[]) => T;
type Providers = FactoryProvider<unknown>[];

function provide<T>(token: Class<T>, inject: Class<unknown>[], useFactory: (...parts: never[]) => T): FactoryProvider<T> {
  return { provide: token, inject, useFactory } as unknown as FactoryProvider<T>;
}

/** What offramp is made of. */
@Module({})
export class AppModule {
  public static of(deps: OfframpDependencies, ground: OfframpGround): DynamicModule {
    return { module: AppModule, controllers: [ClaimConsumer], providers: [...stores(ground), ...askedByOthers(deps, ground), ...claims(deps, ground)] };
  }
}

function stores({ db }: OfframpGround): Providers {
  return [
    provide(AddressStore, [], () => new AddressStore(db)),
    provide(ClaimWatch, [], () => new ClaimWatch(db)),
    provide(QuoteStore, [], () => new QuoteStore(db)),
    provide(RateStore, [], () => new RateStore(db)),
  ];
}

/** Answers to internal calls. */
function askedByOthers({ settings, clock, log }: OfframpDependencies, { served, rateSource }: OfframpGround): Providers {
  const xpub = settings.chains.depositXpub ?? SANDBOX_XPUB;
  return [
    provide(DepositAddresses, [AddressStore], (store: AddressStore) => new DepositAddresses({ store, xpub, derivation: { assertXpub, deriveEvmAddress }, served: served.names, clock, log })),
    provide(ListNetworks, [DepositAddresses], (addresses: DepositAddresses) => new ListNetworks(addresses, served.names)),
    provide(Rates, [RateStore], (store: RateStore) => new Rates(rateSource, store, rateRules(settings.rates), clock, log)),
    provide(GiveQuote, [QuoteStore, Rates, DepositAddresses], (quotes: QuoteStore, rates: Rates, addresses: DepositAddresses) => new GiveQuote(quotes, rates, addresses, clock)),
    provide(CheckQuote, [QuoteStore], (quotes: QuoteStore) => new CheckQuote(quotes)),
  ];
}

/** From a claim that comes in to what is told of it. */
function claims({ settings, wire, clock, log, outboxSignal }: OfframpDependencies, { db, served, screening, listedOwn, metrics }: OfframpGround): Providers {
  return [
    provide(WakeSignal, [], () => new WakeSignal()),
    provide(EventServer, [], () => new EventServer({ group: CONSUMER_GROUP, wire, deadLetters: new DeadLetterStore(db), concurrency: EVENTS_AT_ONCE })),
    provide(OfframpMetrics, [ClaimWatch], (watch: ClaimWatch) => new OfframpMetrics(metrics, watch, clock)),
    provide(TakeClaim, [Rates, WakeSignal], (rates: Rates, signal: WakeSignal) => new TakeClaim(db, rates, signal, clock, settings.chains.searchMs)),
    provide(RecordLook, [], () => new RecordLook(db, outboxSignal, clock)),
    provide(
      LookAtClaims, [DepositAddresses, Rates, RecordLook, WakeSignal, OfframpMetrics],
      (addresses: DepositAddresses, rates: Rates, record: RecordLook, signal: WakeSignal, meters: OfframpMetrics) =>
        new LookAtClaims({
          claims: new ClaimStore(db), own: new OwnAddresses(new AddressStore(db), listedOwn), chains: served.byName, addresses, rates, record, signal,
          metrics: meters, screening, clock, log,
        }),
    ),
    provide(CreditUnapplied, [Rates], (rates: Rates) => new CreditUnapplied(db, rates, outboxSignal, clock)),
    provide(PageByAge, [ClaimWatch], (watch: ClaimWatch) => new PageByAge(watch, served.names, clock, log)),
  ];
}
