import type { Settings } from '@vuka/config';
import type { Currencies } from '@vuka/domain';
import type { JobClock } from '@vuka/jobs';
import type { Wire } from '@vuka/messaging';
import type { PayoutProvider, SandboxPayoutControl } from '@vuka/payouts';
import type { Database, DatabaseConfig } from '@vuka/persistence';
import type { Cipher, Clock, Logger, MonotonicClock, WakeSignal } from '@vuka/runtime';

/** What payments is given by who composes it. */
export interface PaymentsDependencies {
  readonly settings: Settings;
  readonly database: Omit<DatabaseConfig, 'migrations' | 'entities'>;
  readonly providers: readonly PayoutProvider[];
  /** With this deployment's limits and service fees. */
  readonly currencies: Currencies;
  /** How a partner controls the sandbox's rails, by provider id; absent in live. */
  readonly sandboxControls?: ReadonlyMap<string, SandboxPayoutControl>;
  /** Told after each commit that wrote to the outbox: the relay's signal. */
  readonly outboxSignal: WakeSignal;
  /** Where offramp's verdicts on deposits come from. */
  readonly wire: Pick<Wire, 'subscribe'>;
  readonly jobs: JobClock;
  readonly clock: Clock & MonotonicClock;
  readonly log: Logger;
  readonly cipher: Cipher;
}

/** Ways to the database of payments. */
export interface PaymentsPools {
  readonly db: Database;
  /** For lists and statements alone: however long these take, payouts have the connections of the other. */
  readonly lists: Database;
}
