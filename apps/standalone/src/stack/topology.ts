/** The six, in the order in which they are told of. */
export const SERVICE_NAMES = ['gateway', 'payments', 'validation', 'offramp', 'checkout', 'notifier'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

/** What a service stands on. */
interface Needs {
  /** By internal HTTP. */
  readonly calls: readonly ServiceName[];
  /** Connections to its schema; 0: it keeps nothing. */
  readonly databaseConnections: number;
  readonly seals: boolean;
  readonly rails: boolean;
}

/** Who calls and keeps what: docs/architecture.md, "Who owns what". */
export const TOPOLOGY: Readonly<Record<ServiceName, Needs>> = {
  gateway: { calls: ['payments', 'validation', 'offramp'], databaseConnections: 4, seals: true, rails: false },
  payments: { calls: [], databaseConnections: 6, seals: true, rails: true },
  validation: { calls: [], databaseConnections: 0, seals: true, rails: true },
  offramp: { calls: [], databaseConnections: 0, seals: false, rails: false },
  checkout: { calls: [], databaseConnections: 0, seals: false, rails: false },
  notifier: { calls: [], databaseConnections: 3, seals: true, rails: false },
};

/** The stack itself, which makes the sandbox's partners by the same operations as everybody. */
export const SETUP = 'setup';
export const SETUP_CALLS: readonly ServiceName[] = ['gateway', 'payments', 'notifier'];

/** Who may call a service. */
export function callersOf(service: ServiceName): string[] {
  const services = SERVICE_NAMES.filter((name) => TOPOLOGY[name].calls.includes(service));
  return SETUP_CALLS.includes(service) ? [...services, SETUP] : services;
}

/** Those with a schema and a login of their own. */
export const DATABASE_OWNERS = SERVICE_NAMES.filter((name) => TOPOLOGY[name].databaseConnections > 0);

export const isServiceName = (text: string): text is ServiceName => (SERVICE_NAMES as readonly string[]).includes(text);
