import { decodeMoney } from '@vuka/domain';
import type { Queryable } from '@vuka/persistence';

import type { HeldRefund, RefundGround } from './refund-webhook.js';

interface GroundRow {
  transaction_code: string | null;
  order_id: string | null;
  callback_url: string | null;
  transaction_hash: string | null;
  [column: string]: unknown;
}

interface TermsRow {
  partner_id: number;
  transaction_id: string;
  deposit_id: string;
  chain: string;
  asset: string;
  decimals: number;
  amount_minor: string;
  address: string;
  [column: string]: unknown;
}

/** What refunds are for, and their webhook URL. No money: a URL without a refund means nothing. */
export class RefundGroundStore {
  constructor(private readonly db: Queryable) {}

  /** `refundId` null: before there is a refund. */
  async of({
    transactionId,
    depositId,
    refundId,
  }: {
    readonly transactionId: number;
    readonly depositId: number;
    readonly refundId: number | null;
  }): Promise<RefundGround> {
    const [row] = await this.db.query<GroundRow>(
      `select t.transaction_code, o.order_id, coalesce(case when o.order_number is null then t.callback_url end, u.callback_url) as callback_url,
              coalesce(y.transaction_hash, d.transaction_hash) as transaction_hash
         from (select $1::bigint as transaction_id) g
         left join transactions t on t.id = g.transaction_id left join orders o on o.order_number = g.transaction_id
         left join pays y on y.transaction_id = g.transaction_id left join deposits d on d.deposit_id = $2 left join refund_urls u on u.refund_id = $3`,
      [transactionId, depositId, refundId],
      { name: 'refund_ground' },
    );
    if (!row) throw new Error(`what a refund of transaction ${transactionId} is of cannot be read`);
    return {
      // Nothing goes back before the order has ended.
      about: row.order_id === null ? { transactionCode: row.transaction_code ?? '' } : { orderId: row.order_id },
      callbackUrl: row.callback_url,
      depositHash: row.transaction_hash ?? '',
    };
  }

  async heldRefund(refundId: number): Promise<HeldRefund | null> {
    const [row] = await this.db.query<TermsRow>(
      `select partner_id, transaction_id::text as transaction_id, deposit_id::text as deposit_id, chain, asset, decimals, amount_minor::text as amount_minor, address
         from refunds where refund_id = $1`,
      [refundId],
      { name: 'refund_terms' },
    );
    if (!row) return null;
    const { partner_id: partnerId, chain, decimals, address } = row;
    const ground = await this.of({
      transactionId: Number(row.transaction_id),
      depositId: Number(row.deposit_id),
      refundId,
    });
    return {
      details: { refundId, partnerId, chain, amount: decodeMoney(row.amount_minor, row.asset), decimals, address },
      ground,
    };
  }

  /** Written before the refunds. */
  async rememberUrl(refundIds: readonly number[], partnerId: number, callbackUrl: string, now: Date): Promise<void> {
    await this.db.query(
      'insert into refund_urls (refund_id, partner_id, callback_url, created_at) select id, $2, $3, $4 from unnest($1::bigint[]) as r (id) on conflict do nothing',
      [refundIds, partnerId, callbackUrl, now],
      { name: 'refund_url_remember' },
    );
  }
}
