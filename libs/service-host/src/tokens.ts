import type { InternalApi } from '@vuka/contracts';

import type { Readiness } from './service-context.js';

/**
 * Tokens of what is injected and is no class: ports, settings and second instances. `Database`, `Metrics`, `Cipher`, `JobClock` and
 * `EventServer` are injected by class. A token is there only where the service has that part (SERVICES, TOPICS, QUEUES).
 */

/** Settings of @vuka/config. */
export const SETTINGS = Symbol('SETTINGS');
/** Currencies of @vuka/domain, with this deployment's limits and service fees. */
export const CURRENCIES_IN_FORCE = Symbol('CURRENCIES_IN_FORCE');
/** Clock & MonotonicClock of @vuka/runtime. */
export const CLOCK = Symbol('CLOCK');
/** Logger of @vuka/runtime. */
export const LOGGER = Symbol('LOGGER');
/** Buffer: what API keys are hashed with. */
export const KEY_PEPPER = Symbol('KEY_PEPPER');
/** Wire of @vuka/messaging. */
export const EVENT_BUS = Symbol('EVENT_BUS');
/** WakeSignal: told after each commit that wrote to the outbox. */
export const OUTBOX_SIGNAL = Symbol('OUTBOX_SIGNAL');
/** RateLimitStore of @vuka/http, or null: then each process counts in its own memory. */
export const RATE_LIMIT_STORE = Symbol('RATE_LIMIT_STORE');
/** readonly PayoutProvider[] of @vuka/payouts, in order of preference. */
export const PAYOUT_PROVIDERS = Symbol('PAYOUT_PROVIDERS');
/** readonly string[], in the admin part of a service alone: ids of the providers that its process can call. */
export const PAYOUT_PROVIDER_IDS = Symbol('PAYOUT_PROVIDER_IDS');
/** ReadonlyMap<string, SandboxPayoutControl> by provider id, empty in live. */
export const SANDBOX_CONTROLS = Symbol('SANDBOX_CONTROLS');
/** Database: the pool of partners' lists. */
export const LISTS_DATABASE = Symbol('LISTS_DATABASE');
/** ClockAgrees. */
export const CLOCK_AGREES = Symbol('CLOCK_AGREES');
/** AskReadiness. */
export const READINESS = Symbol('READINESS');

/** Whether this process's clock is that of its database, asked for now. */
export type ClockAgrees = () => Promise<boolean>;

/** For the health page of who answers partners. */
export type AskReadiness = () => Promise<Readiness>;

/** The token of an InternalClient: `@Inject(clientOf(offrampApi)) offramp: Pick<InternalClient<typeof offrampApi>, 'quote'>`. */
export function clientOf({ service }: Pick<InternalApi, 'service'>): symbol {
  return Symbol.for(`vuka client of ${service}`);
}

/** The token of a client of a service's admin operations, which is called with an operator's credential. */
export function adminClientOf(service: string): symbol {
  return Symbol.for(`vuka admin client of ${service}`);
}
