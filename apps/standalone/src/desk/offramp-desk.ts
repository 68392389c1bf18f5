import { DeadLetterStore } from '@vuka/messaging';
import { OFFRAMP_MIGRATIONS, RefundDesk } from '@vuka/offramp';
import { Database, type DatabaseConfig } from '@vuka/persistence';
import { systemClock } from '@vuka/platform';

import { ChainDesk } from './chain-desk.js';

/** What offramp's tables tell the desk. */
export class OfframpDesk {
  /** Of the events that offramp reads. */
  readonly letters: DeadLetterStore;
  readonly chains: ChainDesk;
  readonly refunds: RefundDesk;

  private constructor(private readonly db: Database) {
    this.letters = new DeadLetterStore(db);
    this.chains = new ChainDesk(db, systemClock);
    this.refunds = new RefundDesk(db, systemClock);
  }

  static async open(database: Omit<DatabaseConfig, 'migrations' | 'entities'>): Promise<OfframpDesk> {
    return new OfframpDesk(await Database.connect({ ...database, migrations: [] }));
  }

  /** Names of migrations that this program knows and the folder has not run. */
  async missingMigrations(): Promise<string[]> {
    const ran = await this.db.query<{ name: string }>('select name from migrations');
    const names = new Set(ran.map(({ name }) => name));
    return OFFRAMP_MIGRATIONS.map((migration) => String(new migration().name)).filter((name) => !names.has(name));
  }

  close(): Promise<void> {
    return this.db.close();
  }
}
