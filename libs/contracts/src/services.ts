import type { InternalApi } from './internal-api.js';
import { offrampApi } from './offramp-api.js';
import { checkoutApi, gatewayApi, notifierApi, validationApi } from './other-apis.js';
import { paymentsApi } from './payments-api.js';

/** What a service is asked and stands on, whoever runs it. Topics and their readers are in TOPICS. */
export interface ServiceNeeds {
  /** What others may ask it by internal call; null: nothing. */
  readonly api: InternalApi | null;
  /** Whom it asks. */
  readonly calls: readonly string[];
  /** Whose admin operations it asks, always as the operator for whom it asks: it has no right of its own there. */
  readonly gathers: readonly string[];
  /** Connections to its schema, unless set otherwise; 0: it keeps nothing. */
  readonly databaseConnections: number;
  /** Seals columns or keys hashes: it has cipher keys of its own. */
  readonly seals: boolean;
  /** Pays or asks names through payout providers. */
  readonly providers: boolean;
  /** Counts limits that all its processes share. */
  readonly limits: boolean;
}

const NOTHING = {
  api: null,
  calls: [],
  gathers: [],
  databaseConnections: 0,
  seals: false,
  providers: false,
  limits: false,
} as const;

/** The six services, and admin, which gathers what operators ask of them. */
export const SERVICES = {
  gateway: {
    ...NOTHING,
    api: gatewayApi,
    calls: ['payments', 'validation', 'offramp', 'checkout', 'notifier'],
    databaseConnections: 4,
    limits: true,
  },
  payments: { ...NOTHING, api: paymentsApi, databaseConnections: 6, seals: true, providers: true },
  validation: { ...NOTHING, api: validationApi, seals: true, providers: true, limits: true },
  offramp: { ...NOTHING, api: offrampApi, databaseConnections: 4 },
  checkout: { ...NOTHING, api: checkoutApi, calls: ['offramp'], databaseConnections: 3 },
  notifier: { ...NOTHING, api: notifierApi, databaseConnections: 3, seals: true },
  admin: { ...NOTHING, gathers: ['gateway', 'payments', 'offramp', 'checkout', 'notifier'] },
} as const satisfies Record<string, ServiceNeeds>;

export type ServiceName = keyof typeof SERVICES;

export const SERVICE_NAMES = Object.keys(SERVICES) as ServiceName[];
