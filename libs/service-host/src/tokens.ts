import type { InternalApi } from '@vuka/contracts';

import type { Readiness } from './service-context.js';

/** For ports, settings and second instances. Present only where SERVICES, TOPICS or QUEUES give the part. */

/** Settings of @vuka/config. */
export const SETTINGS = Symbol('SETTINGS');
/** Currencies with this deployment's limits and service fees. */
export const CURRENCIES_IN_FORCE = Symbol('CURRENCIES_IN_FORCE');
/** Clock & MonotonicClock. */
export const CLOCK = Symbol('CLOCK');
/** Logger. */
export const LOGGER = Symbol('LOGGER');
/** KeyPeppers: API keys are hashed with the first. */
export const KEY_PEPPERS = Symbol('KEY_PEPPERS');
/** SigningKey of @vuka/runtime, in admin alone: services believe what it signs. */
export const ASSERTION_KEY = Symbol('ASSERTION_KEY');
/** readonly KnownOperator[] of @vuka/http, in admin alone: those of its secrets file. */
export const OPERATORS_IN_FILE = Symbol('OPERATORS_IN_FILE');
/** EventBus of @vuka/messaging. */
export const EVENT_BUS = Symbol('EVENT_BUS');
/** WakeSignal, set after each commit that wrote to the outbox. */
export const OUTBOX_SIGNAL = Symbol('OUTBOX_SIGNAL');
/** RateLimitStore, or null: each process counts in memory. */
export const RATE_LIMIT_STORE = Symbol('RATE_LIMIT_STORE');
/** Coverage of @vuka/domain: what the configured routes carry, and by whom. Read it each time: its routes change when the providers file does. */
export const COVERAGE = Symbol('COVERAGE');
/** readonly PayoutProvider[], in the order of the providers file. Routes have an order of their own. */
export const PAYOUT_PROVIDERS = Symbol('PAYOUT_PROVIDERS');
/** readonly string[], in admin APIs only: providers that can be called. */
export const PAYOUT_PROVIDER_IDS = Symbol('PAYOUT_PROVIDER_IDS');
/** CallbackTokens of @vuka/payouts: of providers that call back. */
export const CALLBACK_TOKENS = Symbol('CALLBACK_TOKENS');
/** ProviderValues of @vuka/payouts: in memory until it is given a store. */
export const PROVIDER_VALUES = Symbol('PROVIDER_VALUES');
/** ReadonlyMap<string, SandboxPayoutControl> by provider id, empty in live. */
export const SANDBOX_CONTROLS = Symbol('SANDBOX_CONTROLS');
/** Database: the pool of partners' lists. */
export const LISTS_DATABASE = Symbol('LISTS_DATABASE');
export const CLOCK_AGREES = Symbol('CLOCK_AGREES');
export const READINESS = Symbol('READINESS');

/** Compares with the database's clock now. */
export type ClockAgrees = () => Promise<boolean>;

export type AskReadiness = () => Promise<Readiness>;

/** `@Inject(clientOf(offrampApi)) offramp: Pick<InternalClient<typeof offrampApi>, 'quote'>`. */
export function clientOf({ service }: Pick<InternalApi, 'service'>): symbol {
  return Symbol.for(`vuka client of ${service}`);
}

/** For admin operations, called with an assertion. */
export function adminClientOf(service: string): symbol {
  return Symbol.for(`vuka admin client of ${service}`);
}
