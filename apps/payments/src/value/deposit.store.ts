import { Injectable } from '@nestjs/common';
import { type RefundState, decodeMoney, subtract, type Deposit, type Money } from '@vuka/domain';
import { Database } from '@vuka/persistence';

import type { HeldRefund } from './refund-webhook.js';
import type { DepositState, InboxMark } from '../commit/index.js';
import { RefundGroundStore } from './refund-ground.store.js';

export interface KeptDeposit extends Deposit {
  readonly transactionId: number;
  readonly partnerId: number;
  /** Fiat per whole token. */
  readonly rate: string;
  readonly state: DepositState;
  /** By order_settled; null for a pay's, and if its order used nothing. */
  readonly share: OrderShare | null;
  /** null: a pay's, or its order is not settled. */
  readonly orderCurrency: string | null;
  /** By unapplied_credited, at that day's rate. */
  readonly credited: Money | null;
  /** Not signed, as far as is known. */
  readonly unsignedRefund: UnsignedRefund | null;
  /** As its partner sees it; only `byId` reads it. */
  readonly heldRefund?: HeldRefund | null;
}

export interface UnsignedRefund {
  readonly refundId: number;
  readonly state: Extract<RefundState, 'HELD' | 'GRANTED'>;
}

/** `credited` is what the partner's wallet got. */
export interface OrderShare {
  readonly used: Money;
  readonly credited: Money;
}

export function remainderOf({ received, share }: Pick<KeptDeposit, 'received' | 'share'>): Money {
  return share === null ? received : subtract(received, share.used);
}

/** Of deposit d, as u. */
export const SHARE_JOIN = `left join lateral (
    select sum(e.amount_minor) filter (where e.asset = d.asset)::text as used_minor, sum(e.amount_minor) filter (where e.asset <> d.asset)::text as share_minor,
           max(e.asset) filter (where e.asset <> d.asset) as share_currency
      from postings q join entries e on e.posting_id = q.id where q.reference = 'order-settled:' || d.deposit_id) u on true`;

export interface ShareRow {
  used_minor: string | null;
  share_minor: string | null;
  share_currency: string | null;
  order_currency: string | null;
}

/** Less than a minor unit credits nothing, and then names no currency. */
export function shareOf(
  { used_minor: used, share_currency, share_minor, order_currency }: ShareRow,
  asset: string,
): OrderShare | null {
  if (used === null) return null;
  return {
    used: decodeMoney(used, asset),
    credited: decodeMoney(share_minor ?? '0', share_currency ?? order_currency ?? ''),
  };
}

/** Of deposit d, in the token's minor units. */
export const USED_SQL = `(select coalesce(sum(e.amount_minor), 0) from postings q join entries e on e.posting_id = q.id
  where q.reference = 'order-settled:' || d.deposit_id and e.asset = d.asset)`;

export interface VanishedDeposit {
  readonly depositId: number;
  readonly transactionId: number;
  readonly mark: InboxMark;
}

/** Policy credits the rest of an order's deposit, at the rate of that day. */
export interface EarlyCredit {
  readonly depositId: number;
  readonly currency: string;
  /** Fiat per whole token. */
  readonly rate: string;
  readonly mark: InboxMark;
}

interface DepositRow extends ShareRow {
  deposit_id: string;
  transaction_id: string;
  partner_id: number;
  chain: string;
  asset: string;
  decimals: number;
  received_minor: string;
  rate: string;
  state: DepositState;
  credited_currency: string | null;
  credited_minor: string | null;
  unsigned_refund_id: string | null;
  unsigned_refund_state: UnsignedRefund['state'] | null;
}

interface VanishedRow {
  deposit_id: string;
  consumer_group: string;
  event_id: string;
  occurred_at: Date;
}

const KEPT = `select d.deposit_id::text as deposit_id, d.transaction_id::text as transaction_id, d.partner_id, d.chain, d.asset, d.decimals,
    d.received_minor::text as received_minor, d.rate::text as rate, d.state, w.asset as credited_currency, w.minor::text as credited_minor,
    f.refund_id::text as unsigned_refund_id, f.state as unsigned_refund_state,
    u.used_minor, u.share_currency, u.share_minor, o.currency as order_currency
  from deposits d
  left join orders o on o.order_number = d.transaction_id
  left join refunds f on f.deposit_id = d.deposit_id and f.state in ('HELD', 'GRANTED')
  left join lateral (
    select e.asset, sum(e.amount_minor) as minor from postings q join entries e on e.posting_id = q.id join accounts a on a.id = e.to_account
     where q.reference = 'unapplied-credited:' || d.deposit_id and a.kind = 'wallet' group by e.asset) w on true
  ${SHARE_JOIN}`;

/** Only CommitWriter writes deposits. */
@Injectable()
export class DepositStore {
  constructor(private readonly db: Database) {}

  async byId(depositId: number): Promise<KeptDeposit | undefined> {
    const [row] = await this.db.query<DepositRow>(`${KEPT} where d.deposit_id = $1`, [depositId], {
      name: 'deposit_by_id',
    });
    if (!row) return undefined;
    const kept = toKept(row);
    return kept.unsignedRefund === null
      ? kept
      : { ...kept, heldRefund: await new RefundGroundStore(this.db).heldRefund(kept.unsignedRefund.refundId) };
  }

  async byIds(depositIds: readonly number[]): Promise<ReadonlyMap<number, KeptDeposit>> {
    const rows = await this.db.query<DepositRow>(`${KEPT} where d.deposit_id = any ($1::bigint[])`, [depositIds], {
      name: 'deposits_by_id',
    });
    return new Map(rows.map((row) => [Number(row.deposit_id), toKept(row)]));
  }

  /**
   * Kept for ever: the value may come later. It locks the transaction, as the start of a payout does, so a later
   * start finds it (attempts_deposit_stands).
   */
  async rememberVanished({ depositId, transactionId, mark }: VanishedDeposit): Promise<void> {
    await this.db.inTransaction(
      async (tx) => {
        await tx.query('select 1 from transactions where id = $1 for no key update', [transactionId], {
          name: 'vanished_lock',
        });
        await tx.query(
          `insert into vanished_deposits (deposit_id, transaction_id, consumer_group, event_id, occurred_at) values ($1, $2, $3, $4, $5) on conflict do nothing`,
          [depositId, transactionId, mark.group, mark.eventId, mark.occurredAt],
          { name: 'deposit_vanished' },
        );
      },
      { retries: 2 },
    );
  }

  async vanished(depositIds: readonly number[]): Promise<VanishedDeposit[]> {
    const rows = await this.db.query<VanishedRow & { transaction_id: string }>(
      `select deposit_id::text as deposit_id, transaction_id::text as transaction_id, consumer_group, event_id::text as event_id, occurred_at
         from vanished_deposits where deposit_id = any ($1::bigint[]) order by deposit_id`,
      [depositIds],
      { name: 'deposits_vanished' },
    );
    return rows.map((row) => ({
      depositId: Number(row.deposit_id),
      transactionId: Number(row.transaction_id),
      mark: markOf(row),
    }));
  }

  /** Kept until the order is settled or an earlier refund has ended. The later event counts. */
  async rememberCredit({ depositId, currency, rate, mark }: EarlyCredit): Promise<void> {
    await this.db.query(
      `insert into early_credits (deposit_id, currency, rate, consumer_group, event_id, occurred_at) values ($1, $2, $3, $4, $5, $6)
       on conflict (deposit_id) do update set currency = excluded.currency, rate = excluded.rate, consumer_group = excluded.consumer_group,
         event_id = excluded.event_id, occurred_at = excluded.occurred_at where early_credits.occurred_at < excluded.occurred_at`,
      [depositId, currency, rate, mark.group, mark.eventId, mark.occurredAt],
      { name: 'deposit_credit_early' },
    );
  }

  /** A refund created after the policy event cancels the credit: the partner decided, and the rate is out of date. */
  async earlyCredits(depositIds: readonly number[]): Promise<EarlyCredit[]> {
    const rows = await this.db.query<VanishedRow & { currency: string; rate: string }>(
      `select c.deposit_id::text as deposit_id, c.currency, c.rate, c.consumer_group, c.event_id::text as event_id, c.occurred_at
         from early_credits c join deposits d on d.deposit_id = c.deposit_id and d.state = 'unapplied'
        where c.deposit_id = any ($1::bigint[]) and not exists (select from refunds f where f.deposit_id = c.deposit_id and f.created_at >= c.occurred_at) order by c.deposit_id`,
      [depositIds],
      { name: 'deposits_credited_early' },
    );
    return rows.map((row) => ({
      depositId: Number(row.deposit_id),
      currency: row.currency,
      rate: row.rate,
      mark: markOf(row),
    }));
  }

  async isPays(transactionId: number): Promise<boolean> {
    return (
      (await this.db.query('select 1 from pays where transaction_id = $1', [transactionId], { name: 'claim_is_pays' }))
        .length > 0
    );
  }

  async known(depositIds: readonly number[]): Promise<ReadonlySet<number>> {
    const rows = await this.db.query<{ deposit_id: string }>(
      'select deposit_id::text as deposit_id from deposits where deposit_id = any ($1::bigint[])',
      [depositIds],
      {
        name: 'deposits_known',
      },
    );
    return new Set(rows.map((row) => Number(row.deposit_id)));
  }
}

function markOf({
  consumer_group,
  event_id,
  occurred_at,
}: Pick<VanishedRow, 'consumer_group' | 'event_id' | 'occurred_at'>): InboxMark {
  return { group: consumer_group, eventId: event_id, occurredAt: occurred_at.toISOString() };
}

function toKept(row: DepositRow): KeptDeposit {
  return {
    depositId: Number(row.deposit_id),
    transactionId: Number(row.transaction_id),
    partnerId: row.partner_id,
    chain: row.chain,
    received: decodeMoney(row.received_minor, row.asset),
    decimals: row.decimals,
    rate: row.rate,
    state: row.state,
    credited:
      row.credited_currency === null || row.credited_minor === null
        ? null
        : decodeMoney(row.credited_minor, row.credited_currency),
    unsignedRefund:
      row.unsigned_refund_id === null || row.unsigned_refund_state === null
        ? null
        : { refundId: Number(row.unsigned_refund_id), state: row.unsigned_refund_state },
    share: shareOf(row, row.asset),
    orderCurrency: row.order_currency,
  };
}
