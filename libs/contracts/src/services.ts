import type { InternalApi } from './internal-api.js';
import { offrampApi } from './offramp-api.js';
import { checkoutApi, gatewayApi, notifierApi, validationApi } from './other-apis.js';
import { paymentsApi } from './payments-api.js';

export interface ServiceNeeds {
  /** null: no internal calls. */
  readonly api: InternalApi | null;
  readonly calls: readonly string[];
  /** Called for people, by what it asserts of them: the service has no rights of its own. */
  readonly gathers: readonly string[];
  /** Default; 0: no database. */
  readonly databaseConnections: number;
  /** It needs cipher keys and index keys. */
  readonly seals: boolean;
  /** It needs webhook keys: it seals or opens what webhooks tell. */
  readonly tells: boolean;
  /** It calls them. */
  readonly providers: boolean;
  /** They call it, for callbacks and approvals. */
  readonly calledBack: boolean;
  /** It refuses what no configured route carries. */
  readonly routes: boolean;
  /** Counted across all its processes. */
  readonly limits: boolean;
}

const NOTHING = {
  api: null,
  calls: [],
  gathers: [],
  databaseConnections: 0,
  seals: false,
  tells: false,
  providers: false,
  calledBack: false,
  routes: false,
  limits: false,
} as const;

export const SERVICES = {
  gateway: {
    ...NOTHING,
    api: gatewayApi,
    calls: ['payments', 'validation', 'offramp', 'checkout', 'notifier'],
    databaseConnections: 4,
    seals: true,
    tells: true,
    routes: true,
    limits: true,
  },
  payments: {
    ...NOTHING,
    api: paymentsApi,
    databaseConnections: 6,
    seals: true,
    tells: true,
    providers: true,
    calledBack: true,
    routes: true,
  },
  validation: { ...NOTHING, api: validationApi, seals: true, providers: true, routes: true, limits: true },
  offramp: { ...NOTHING, api: offrampApi, databaseConnections: 4 },
  checkout: { ...NOTHING, api: checkoutApi, calls: ['offramp'], databaseConnections: 3, seals: true, tells: true },
  notifier: { ...NOTHING, api: notifierApi, databaseConnections: 3, seals: true, tells: true },
  admin: { ...NOTHING, gathers: ['gateway', 'payments', 'offramp', 'checkout', 'notifier'], databaseConnections: 2 },
} as const satisfies Record<string, ServiceNeeds>;

export type ServiceName = keyof typeof SERVICES;

export const SERVICE_NAMES = Object.keys(SERVICES) as ServiceName[];
