import { Injectable } from '@nestjs/common';
import { Database } from '@vuka/persistence';

const BLOCK = 1_000;

/**
 * Ids in blocks of a sequence, so that a commit knows its id without a round trip. Roughly ordered by time, with
 * gaps after restarts, below 2^53.
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
