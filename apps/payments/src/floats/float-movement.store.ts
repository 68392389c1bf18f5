import { Inject, Injectable } from '@nestjs/common';
import { decodeMoney, encodeMinor } from '@vuka/domain';
import { Database, type Queryable } from '@vuka/persistence';

import type { FloatMovement } from './float-movement.js';

export type NewMovement = Pick<
  FloatMovement,
  'kind' | 'amount' | 'provider' | 'wallet' | 'tokens' | 'evidence' | 'proposedBy' | 'proposedAt'
>;

export interface MovementsWanted {
  readonly open?: boolean | undefined;
  /** The last id of the previous page. */
  readonly before?: number | undefined;
  readonly limit: number;
}

type Row = Omit<FloatMovement, 'id' | 'amount' | 'tokens'> & {
  id: string;
  currency: string;
  amountMinor: string;
  asset: string | null;
  tokensMinor: string | null;
};

const COLUMNS = `id::text as id, kind, currency, amount_minor::text as "amountMinor", provider, wallet, asset, tokens_minor::text as "tokensMinor", evidence,
  proposed_by as "proposedBy", proposed_at as "proposedAt", approved_by as "approvedBy", approved_at as "approvedAt",
  withdrawn_by as "withdrawnBy", withdrawn_at as "withdrawnAt", withdrawn_why as "withdrawnWhy"`;
const OPEN = 'approved_at is null and withdrawn_at is null';

@Injectable()
export class FloatMovementStore {
  constructor(@Inject(Database) private readonly db: Queryable) {}

  propose({
    kind,
    amount,
    provider,
    wallet,
    tokens,
    evidence,
    proposedBy,
    proposedAt,
  }: NewMovement): Promise<FloatMovement> {
    return this.one(
      `insert into float_movements (kind, currency, amount_minor, provider, wallet, asset, tokens_minor, evidence, proposed_by, proposed_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning ${COLUMNS}`,
      [
        kind,
        amount.currency,
        encodeMinor(amount),
        provider,
        wallet,
        tokens?.currency ?? null,
        tokens && encodeMinor(tokens),
        evidence,
        proposedBy,
        proposedAt,
      ],
    );
  }

  async byId(id: number): Promise<FloatMovement | undefined> {
    const rows = await this.db.query<Row>(`select ${COLUMNS} from float_movements where id = $1`, [id]);
    return rows.map(toMovement)[0];
  }

  /** Until the transaction ends only the caller decides. Throws if it does not exist. */
  lock(id: number): Promise<FloatMovement> {
    return this.one(`select ${COLUMNS} from float_movements where id = $1 for no key update`, [id]);
  }

  /** Throws if not open: the lock ensures that it is. */
  approve(id: number, by: string, at: Date): Promise<FloatMovement> {
    return this.one(
      `update float_movements set approved_by = $2, approved_at = $3 where id = $1 and ${OPEN} returning ${COLUMNS}`,
      [id, by, at],
    );
  }

  withdraw(
    id: number,
    { by, why, at }: { readonly by: string; readonly why: string; readonly at: Date },
  ): Promise<FloatMovement> {
    return this.one(
      `update float_movements set withdrawn_by = $2, withdrawn_why = $3, withdrawn_at = $4 where id = $1 and ${OPEN} returning ${COLUMNS}`,
      [id, by, why, at],
    );
  }

  async openOnes(): Promise<number> {
    const [row] = await this.db.query<{ open: number }>(
      `select count(*)::integer as open from float_movements where ${OPEN}`,
    );
    return row?.open ?? 0;
  }

  /** Newest first. */
  async list({ open = false, before, limit }: MovementsWanted): Promise<FloatMovement[]> {
    const rows = await this.db.query<Row>(
      `select ${COLUMNS} from float_movements where ($1::bigint is null or id < $1) ${open ? `and ${OPEN}` : ''} order by id desc limit $2`,
      [before ?? null, limit],
    );
    return rows.map(toMovement);
  }

  private async one(sql: string, params: readonly unknown[]): Promise<FloatMovement> {
    const [row] = await this.db.query<Row>(sql, params);
    if (!row) throw new Error('a float movement is not where it was');
    return toMovement(row);
  }
}

function toMovement({ id, currency, amountMinor, asset, tokensMinor, ...row }: Row): FloatMovement {
  return {
    ...row,
    id: Number(id),
    amount: decodeMoney(amountMinor, currency),
    tokens: asset === null || tokensMinor === null ? null : decodeMoney(tokensMinor, asset),
  };
}
