import type { DynamicModule, InjectionToken } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { loadSettings, type Settings } from '@vuka/config';
import type { InternalApi } from '@vuka/contracts';
import { CURRENCIES, fullCoverage } from '@vuka/domain';
import type { JobClock } from '@vuka/jobs';
import type { EventBus } from '@vuka/messaging';
import { Cipher, createLogger, Metrics, signingKeyOf, systemClock, WebhookCipher } from '@vuka/runtime';

import type { ContainerFactory, ServiceContext } from './service-context.js';

export interface TestParts extends Partial<
  Omit<ServiceContext, 'settings' | 'jobs' | 'eventBus' | 'client' | 'providers'>
> {
  /** Without `coverage`: everything, by the sandbox's two. */
  readonly providers?: Partial<ServiceContext['providers']>;
  /** Added to those of an empty environment. */
  readonly settings?: Partial<Settings>;
  readonly jobs?: Pick<JobClock, 'every' | 'wakeAt'>;
  readonly eventBus?: Pick<EventBus, 'subscribe'> & Partial<EventBus>;
  /** By service name. */
  readonly clients?: Readonly<Record<string, unknown>>;
}

/** Connects only what `parts` bring. */
export function testContext({
  settings,
  jobs,
  eventBus,
  providers,
  clients = {},
  ...parts
}: TestParts = {}): ServiceContext {
  const attachProducer = (): void => undefined;
  return {
    settings: { ...loadSettings({}), ...settings },
    currencies: CURRENCIES,
    clock: systemClock,
    log: createLogger('test', { level: 'silent' }),
    metrics: new Metrics('test'),
    database: null,
    cipher: new Cipher([{ id: 'k1', key: Buffer.alloc(32, 7) }]),
    webhookCipher: new WebhookCipher([{ id: 'w1', key: Buffer.alloc(32, 5) }]),
    keyPeppers: [{ id: 'p1', key: Buffer.alloc(32, 9) }],
    assertionKey: signingKeyOf('a1', Buffer.alloc(32, 5)),
    operatorsInFile: [],
    jobs: (jobs ?? null) as JobClock | null,
    eventBus: eventBus === undefined ? null : ({ attachProducer, ...bound(eventBus) } as EventBus),
    eventKeys: null,
    rateLimitStore: null,
    providers: { providers: [], coverage: fullCoverage(['sandbox', 'sandbox_b']), ...providers },
    client: <A extends InternalApi>({ service }: A) => clients[service] as never,
    clockAgrees: async () => true,
    readiness: async () => ({ ready: true, checks: {} }),
    ...parts,
  };
}

function bound(bus: NonNullable<TestParts['eventBus']>): Partial<EventBus> {
  return { subscribe: (subscription) => bus.subscribe(subscription), ...(bus.attachProducer && { attachProducer: (producer) => bus.attachProducer?.(producer) }) }; // prettier-ignore
}

/** For openService(): replaces providers. */
export function overriding(
  ...overrides: readonly (readonly [token: InjectionToken, value: unknown])[]
): ContainerFactory {
  const compiled = (root: DynamicModule): Promise<TestingModule> => {
    const builder = Test.createTestingModule({ imports: [root] });
    for (const [token, value] of overrides) builder.overrideProvider(token).useValue(value);
    return builder.compile();
  };
  return {
    create: async (root, adapter, options) => (await compiled(root)).createNestApplication(adapter, options),
    createMicroservice: async (root, options) => (await compiled(root)).createNestMicroservice(options),
    createApplicationContext: async (root) => (await compiled(root)).init(),
  };
}
