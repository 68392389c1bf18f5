import { randomBytes } from 'node:crypto';

import { credentialHash, type InternalServer, type KnownOperator, startInternalServer } from '@vuka/http';
import { Database, type DatabaseConfig } from '@vuka/persistence';
import { type Logger, Metrics, systemClock } from '@vuka/runtime';

import { gatheredOperations } from '../gathered-operations.js';
import { ADMIN_MIGRATIONS } from '../people/migrations.js';
import { People } from '../people/people.js';
import { LocalOperations, type LocalOptions } from './local-operations.js';

export interface LocalAdminOptions extends LocalOptions {
  readonly isRunning: boolean;
  readonly log: Logger;
  readonly env: 'sandbox' | 'live';
  /** Of the schema `admin`. */
  readonly database: Omit<DatabaseConfig, 'migrations' | 'entities'>;
  /** Whom the folder lets in. */
  readonly operators: readonly KnownOperator[];
}

/** Serves this machine only. */
export class LocalAdmin {
  /** New at every start: an old file opens nothing. In live it never does: people show their own. */
  readonly credential: string;
  private readonly operations: LocalOperations;

  private constructor(
    private readonly options: LocalAdminOptions,
    private readonly db: Database,
    private readonly people: People,
    credential: string,
  ) {
    this.credential = credential;
    this.operations = new LocalOperations(options);
  }

  private server: InternalServer | undefined;

  static async start(options: LocalAdminOptions): Promise<LocalAdmin> {
    const { env, log, operators } = options;
    const credential = randomBytes(32).toString('base64url');
    const holder: KnownOperator = { name: null, role: 'admin', credentialSha256: credentialHash(credential) };
    const db = await Database.connect({ ...options.database, migrations: ADMIN_MIGRATIONS });
    try {
      await db.migrate();
      const people = new People({ db, env, file: [holder, ...operators], clock: systemClock, log });
      await people.begin();
      const admin = new LocalAdmin(options, db, people, credential);
      await admin.listen();
      return admin;
    } catch (error) {
      await db.close();
      throw error;
    }
  }

  get url(): string {
    return this.server?.baseUrl ?? '';
  }

  /** Together: the server waits for running calls. */
  async stop(): Promise<void> {
    await Promise.all([this.server?.stop(), this.operations.close()]);
    await this.db.close();
  }

  private async listen(): Promise<void> {
    const { operations, people } = this;
    const { isRunning, log } = this.options;
    this.server = await startInternalServer({
      service: 'admin',
      host: '127.0.0.1',
      port: 0,
      accept: [],
      people: people.door,
      admins: gatheredOperations(operations.services, { people, isRunning }),
      health: async () => ({ ready: true, services: { admin: 'ready' } }),
      metrics: new Metrics('admin'),
      log,
      clock: systemClock,
    });
  }
}
