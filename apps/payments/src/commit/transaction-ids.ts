import { Injectable } from '@nestjs/common';
import { Database } from '@vuka/persistence';

const BLOCK = 1_000;

/**
 * Hands out transaction ids in blocks of a database sequence, so that a move knows its id before it is committed
 * without a round trip each. Ids are unique and roughly in order of time; a restart leaves a gap. All are below 2^53.
 */
@Injectable()
export class TransactionIds {
  private next = 0;
  private end = 0;
  private fetching: Promise<void> | undefined;

  constructor(private readonly db: Database) {}

  async take(): Promise<number> {
    while (this.next >= this.end) {
      this.fetching ??= this.fetch();
      await this.fetching;
    }
    return this.next++;
  }

  private async fetch(): Promise<void> {
    try {
      const [row] = await this.db.query<{ block: string }>(`select nextval('transaction_id_blocks') as block`);
      this.next = Number(row?.block) * BLOCK;
      this.end = this.next + BLOCK;
    } finally {
      this.fetching = undefined;
    }
  }
}
