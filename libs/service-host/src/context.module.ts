import { Global, Module, type DynamicModule, type InjectionToken, type Provider } from '@nestjs/common';
import { adminApi, SERVICES, type ServiceNeeds } from '@vuka/contracts';
import { JobClock } from '@vuka/jobs';
import { DeadLetterStore, EventAuthors } from '@vuka/messaging';
import { EventServer } from '@vuka/messaging/event-server';
import { measuredProvider, ProviderValues } from '@vuka/payouts';
import { Database } from '@vuka/persistence';
import { Cipher, Metrics, type WakeSignal, WebhookCipher } from '@vuka/runtime';

import type { ServiceContext, ServiceDefinition } from './service-context.js';
import * as tokens from './tokens.js';

/** The host opens and closes these. */
export interface ServicePools {
  readonly db: Database | null;
  readonly lists: Database | null;
}

@Global()
@Module({})
export class ContextModule {
  static of(
    definition: ServiceDefinition,
    context: ServiceContext,
    pools: ServicePools,
    outboxSignal: WakeSignal,
  ): DynamicModule {
    const providers = [
      ...always(context, outboxSignal),
      ...(SERVICES[definition.name].seals ? [value(Cipher, context.cipher)] : []),
      ...(SERVICES[definition.name].tells ? [value(WebhookCipher, context.webhookCipher)] : []),
      ...whereGiven(context, pools),
      ...clients(definition, context),
      ...eventServer(definition, context, pools),
    ];
    return { module: ContextModule, providers, exports: providers };
  }
}

function value(provide: InjectionToken, useValue: unknown): Provider {
  return { provide, useValue };
}

function always(context: ServiceContext, outboxSignal: WakeSignal): Provider[] {
  const { settings, currencies, clock, log, metrics, providers, rateLimitStore } = context;
  const readiness: tokens.AskReadiness = () => context.readiness();
  const clockAgrees: tokens.ClockAgrees = () => context.clockAgrees();
  return [
    value(tokens.SETTINGS, settings),
    value(tokens.CURRENCIES_IN_FORCE, currencies),
    value(tokens.CLOCK, clock),
    value(tokens.LOGGER, log),
    value(Metrics, metrics),
    value(tokens.OUTBOX_SIGNAL, outboxSignal),
    value(tokens.RATE_LIMIT_STORE, rateLimitStore),
    value(tokens.COVERAGE, providers.coverage),
    value(tokens.CALLBACK_TOKENS, providers.callbackTokens ?? new Map()),
    value(
      tokens.PAYOUT_PROVIDERS,
      providers.providers.map((provider) => measuredProvider(provider, metrics)),
    ),
    value(tokens.PROVIDER_VALUES, providers.values ?? new ProviderValues()),
    value(tokens.SANDBOX_CONTROLS, providers.sandboxControls ?? new Map()),
    value(tokens.CLOCK_AGREES, clockAgrees),
    value(tokens.READINESS, readiness),
  ];
}

/** Without a provider, injection fails at the start with class and token. */
function whereGiven(
  { assertionKey, operatorsInFile, keyPeppers, jobs, eventBus }: ServiceContext,
  { db, lists }: ServicePools,
): Provider[] {
  const parts = [
    [tokens.KEY_PEPPERS, keyPeppers],
    [tokens.ASSERTION_KEY, assertionKey],
    [tokens.OPERATORS_IN_FILE, operatorsInFile],
    [JobClock, jobs],
    [tokens.EVENT_BUS, eventBus],
    [Database, db],
    [tokens.LISTS_DATABASE, lists],
  ] as const;
  return parts.flatMap(([token, part]) => (part === null || part === undefined ? [] : [value(token, part)]));
}

function clients({ name }: ServiceDefinition, context: ServiceContext): Provider[] {
  const { calls, gathers }: ServiceNeeds = SERVICES[name];
  const gathered = gathers.map((other) =>
    value(tokens.adminClientOf(other), context.client({ ...adminApi, service: other })),
  );
  const called = Object.entries(SERVICES).flatMap(([other, { api }]) =>
    api !== null && calls.includes(other) ? [value(tokens.clientOf(api), context.client(api))] : [],
  );
  return [...called, ...gathered];
}

function eventServer(
  { name, eventsAtOnce }: ServiceDefinition,
  { eventBus, eventKeys }: ServiceContext,
  { db }: ServicePools,
): Provider[] {
  if (eventsAtOnce === undefined || eventBus === null || db === null) return [];
  const deadLetters = new DeadLetterStore(db);
  const authors = eventKeys === null ? {} : { authors: new EventAuthors(name, eventKeys) };
  const server = new EventServer({ group: name, eventBus, deadLetters, concurrency: eventsAtOnce, ...authors });
  return [value(EventServer, server)];
}
