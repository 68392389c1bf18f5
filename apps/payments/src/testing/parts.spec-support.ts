import { type Abstract, type Provider, type Type } from '@nestjs/common';
import { MODULE_METADATA, PARAMTYPES_METADATA, SELF_DECLARED_DEPS_METADATA } from '@nestjs/common/constants.js';
import { loadSettings } from '@vuka/config';
import { CURRENCIES, fullCoverage } from '@vuka/domain';
import { JobClock } from '@vuka/jobs';
import { type PayoutProvider, ProviderValues } from '@vuka/payouts';
import { Database } from '@vuka/persistence';
import { Cipher, type Clock, Metrics, type MonotonicClock, WakeSignal, WebhookCipher } from '@vuka/runtime';
import {
  CALLBACK_TOKENS,
  CLOCK,
  CLOCK_AGREES,
  COVERAGE,
  CURRENCIES_IN_FORCE,
  LISTS_DATABASE,
  LOGGER,
  OUTBOX_SIGNAL,
  PAYOUT_PROVIDER_IDS,
  PAYOUT_PROVIDERS,
  PROVIDER_VALUES,
  SANDBOX_CONTROLS,
  SETTINGS,
} from '@vuka/service-host';

import { AdminModule } from '../admin/admin.module.js';
import { AppModule } from '../app.module.js';
import { NO_JOBS, silent } from './payments-database.spec-support.js';

type Token = Type<unknown> | Abstract<unknown> | symbol | string;
export type Part = readonly [token: Token, value: unknown];

/**
 * Creates single classes of payments on demand, with Nest's metadata. Nest's container is too slow for hundreds of
 * graphs with own clocks and providers.
 */
export class Parts {
  private readonly made: Map<unknown, unknown>;

  constructor(given: readonly Part[]) {
    this.made = new Map(given);
  }

  get<T>(token: Type<T> | Abstract<T>): T;
  get(token: Token): unknown;
  get(token: Token): unknown {
    if (!this.made.has(token)) this.made.set(token, this.make(token));
    return this.made.get(token);
  }

  private make(token: Token): unknown {
    const provider = PROVIDERS.get(token);
    if (provider === undefined) throw new Error(`no module of payments provides ${String(token)}`);
    if (typeof provider === 'function') return new provider(...dependenciesOf(provider).map((one) => this.get(one)));
    if ('useExisting' in provider) return this.get(provider.useExisting as Token);
    if (!('useFactory' in provider)) throw new Error(`${String(token)} is to be given`);
    return provider.useFactory(...(provider.inject ?? []).map((one) => this.get(one as Token)));
  }
}

/** `more` replaces defaults or classes. */
export function partsOn(
  db: Database,
  clock: Clock & MonotonicClock,
  providers: readonly PayoutProvider[] = [],
  ...more: readonly Part[]
): Parts {
  return new Parts([
    [Database, db],
    [LISTS_DATABASE, db],
    [CLOCK, clock],
    [LOGGER, silent],
    [Metrics, new Metrics('test')],
    [SETTINGS, loadSettings({})],
    [CURRENCIES_IN_FORCE, CURRENCIES],
    [COVERAGE, fullCoverage(['sandbox', 'sandbox_b'])],
    [PAYOUT_PROVIDERS, providers],
    [PAYOUT_PROVIDER_IDS, providers.map(({ id }) => id)],
    [CALLBACK_TOKENS, new Map()],
    [CLOCK_AGREES, () => Promise.resolve(true)],
    [Metrics, new Metrics('payments')],
    [PROVIDER_VALUES, new ProviderValues()],
    [SANDBOX_CONTROLS, new Map()],
    [Cipher, new Cipher([{ id: 'k1', key: Buffer.alloc(32, 7) }])],
    [WebhookCipher, new WebhookCipher([{ id: 'w1', key: Buffer.alloc(32, 5) }])],
    [OUTBOX_SIGNAL, new WakeSignal()],
    [JobClock, NO_JOBS],
    ...more,
  ]);
}

function dependenciesOf(type: Type<unknown>): Token[] {
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, type) ?? []) as Token[];
  const named = (Reflect.getMetadata(SELF_DECLARED_DEPS_METADATA, type) ?? []) as { index: number; param: Token }[];
  return types.map((token, index) => named.find((one) => one.index === index)?.param ?? token);
}

function providersOf(module: Type<unknown>): [Token, Provider][] {
  const listed = (key: string): unknown[] => (Reflect.getMetadata(key, module) ?? []) as unknown[];
  const own = listed(MODULE_METADATA.PROVIDERS) as Provider[];
  return [
    ...(listed(MODULE_METADATA.IMPORTS) as Type<unknown>[]).flatMap(providersOf),
    ...own.map((one): [Token, Provider] => [typeof one === 'function' ? one : (one.provide as Token), one]),
  ];
}

const PROVIDERS = new Map([...providersOf(AppModule), ...providersOf(AdminModule)]);
