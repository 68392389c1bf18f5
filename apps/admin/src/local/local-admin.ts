import { randomBytes } from 'node:crypto';

import { type InternalServer, startInternalServer } from '@vuka/http';
import { type Logger, Metrics, systemClock } from '@vuka/runtime';

import { gatheredOperations } from '../gathered-operations.js';
import { LocalOperations, type LocalOptions } from './local-operations.js';

export interface LocalAdminOptions extends LocalOptions {
  readonly isRunning: boolean;
  readonly log: Logger;
}

/** Serves this machine only. */
export class LocalAdmin {
  /** New at every start: an old file opens nothing. */
  readonly credential = randomBytes(32).toString('base64url');

  private constructor(
    private readonly operations: LocalOperations,
    private readonly isRunning: boolean,
    private readonly log: Logger,
  ) {}

  private server: InternalServer | undefined;

  static async start({ isRunning, log, ...options }: LocalAdminOptions): Promise<LocalAdmin> {
    const admin = new LocalAdmin(new LocalOperations(options), isRunning, log);
    await admin.listen();
    return admin;
  }

  get url(): string {
    return this.server?.baseUrl ?? '';
  }

  /** Together: the server waits for running calls. */
  async stop(): Promise<void> {
    await Promise.all([this.server?.stop(), this.operations.close()]);
  }

  private async listen(): Promise<void> {
    const { credential, operations, isRunning, log } = this;
    this.server = await startInternalServer({
      service: 'admin',
      host: '127.0.0.1',
      port: 0,
      accept: [{ caller: 'operator', credential, operator: null }],
      admins: gatheredOperations(operations.services, { isRunning }),
      health: async () => ({ ready: true, services: { admin: 'ready' } }),
      metrics: new Metrics('admin'),
      log,
      clock: systemClock,
    });
  }
}
