import type { Logger } from '@vuka/platform';

import type { QueueName } from './queues.js';

/** BullMQ's store. `schema` is BullMQ's own and made by it; the login must be allowed to create it or own it. */
export interface JobConnection {
  readonly kind: 'postgres';
  /** postgres://user:password@host:port/database */
  readonly connectionString: string;
  readonly schema: string;
}

export interface JobClockOptions {
  readonly connection: JobConnection;
  readonly log: Logger;
}

/** Told when a queue's time has come: a signal, nothing more; quick, and its errors are only logged. */
export type Wake = () => void | Promise<void>;

/** Wakes claimers of due work, never carries the work. */
export class JobClock {
  public constructor(options: JobClockOptions) {
    void options;
  }

  /** Before start(): wakes `queue` at the interval of the catalogue. */
  public every(queue: QueueName, wake: Wake): void {
    void [queue, wake];
  }

  /** Also wakes `queue` at about `at`: calls for the same tenth of a second are one job. */
  public async wakeAt(queue: QueueName, at: Date): Promise<void> {
    void [queue, at];
  }

  public async start(): Promise<void> {}

  /** Within 2 s. */
  public async stop(): Promise<void> {}
}
