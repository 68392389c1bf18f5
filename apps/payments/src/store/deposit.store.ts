import type { Database } from '@vuka/persistence';

import type { DepositState } from './move.js';

/** A deposit as the ledger has it. */
export interface KeptDeposit {
  readonly depositId: number;
  readonly transactionId: number;
  readonly partnerId: number;
  readonly asset: string;
  readonly receivedMinor: bigint;
  readonly state: DepositState;
}

interface DepositRow {
  deposit_id: string; transaction_id: string; partner_id: number; asset: string; received_minor: string; state: DepositState;
}

/** Reads of deposits. They are written in the commit that moves their value, by MoveWriter alone. */
export class DepositStore {
  constructor(private readonly db: Database) {}

  async byId(depositId: number): Promise<KeptDeposit | undefined> {
    const [row] = await this.db.query<DepositRow>(
      `select deposit_id::text as deposit_id, transaction_id::text as transaction_id, partner_id, asset, received_minor::text as received_minor, state
         from deposits where deposit_id = $1`,
      [depositId],
      { name: 'deposit_by_id' },
    );
    return row && {
      depositId: Number(row.deposit_id), transactionId: Number(row.transaction_id), partnerId: row.partner_id, asset: row.asset,
      receivedMinor: BigInt(row.received_minor), state: row.state,
    };
  }

  /** Those of them that are in the ledger. */
  async known(depositIds: readonly number[]): Promise<ReadonlySet<number>> {
    const rows = await this.db.query<{ deposit_id: string }>('select deposit_id::text as deposit_id from deposits where deposit_id = any ($1::bigint[])', [depositIds], {
      name: 'deposits_known',
    });
    return new Set(rows.map((row) => Number(row.deposit_id)));
  }
}
