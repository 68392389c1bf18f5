import { Inject, Injectable } from '@nestjs/common';
import { accountName, decodeMoney, type Money } from '@vuka/domain';
import type { Queryable } from '@vuka/persistence';
import { LISTS_DATABASE } from '@vuka/service-host';

/**
 * Posting ids are given under the lock of the balance, so they order a wallet's changes. Within one commit, by
 * reference.
 */
export interface LegPlace {
  readonly postingId: string;
  readonly legNo: number;
}

export interface StatementLeg extends LegPlace {
  readonly at: Date;
  readonly kind: string;
  readonly transactionCode: string | null;
  /** Negative: out. */
  readonly amount: Money;
  readonly balance: Money;
}

export interface WalletAccount {
  readonly id: number;
  readonly currency: string;
}

export interface StatementQuery {
  readonly account: WalletAccount;
  /** `at` from `from` (inclusive) to `before` (exclusive). */
  readonly from: string;
  readonly before: string;
  /** The end of the previous page, with the balance before that leg; null: begin with the newest. */
  readonly behind: (LegPlace & { readonly balanceMinor: string }) | null;
  readonly limit: number;
}

interface LegRow {
  posting_id: string;
  leg_no: number;
  at: Date;
  kind: string;
  transaction_code: string | null;
  amount: string;
  balance: string;
}

const END: LegPlace = { postingId: (2n ** 63n - 1n).toString(), legNo: 2 ** 15 - 1 };

const BEHIND = '(posting_id, leg_no) < ($2::bigint, $3::smallint)';
const NEWEST_FIRST = 'order by posting_id desc, leg_no desc';
const NEWEST_OF_PAGE = `(select posting_id, leg_no from page ${NEWEST_FIRST} limit 1)`;
const OLDEST_OF_PAGE = '(select posting_id, leg_no from page order by posting_id, leg_no limit 1)';

/** Each side has its own limit, so that the index is read no further. */
const newest = (side: string): string =>
  `(select posting_id, leg_no from entries where ${side} = $1 and ${BEHIND} and at >= $4 and at < $5 ${NEWEST_FIRST} limit $6)`;

const sumLater = (side: string): string =>
  `(select coalesce(sum(amount_minor), 0) from entries where ${side} = $1 and ${BEHIND} and (posting_id, leg_no) > ${NEWEST_OF_PAGE})`;

const ofPage = (side: string, amount: string): string =>
  `select posting_id, leg_no, at, ${amount} as amount from entries
    where ${side} = $1 and (posting_id, leg_no) <= ${NEWEST_OF_PAGE} and (posting_id, leg_no) >= ${OLDEST_OF_PAGE}`;

/**
 * One snapshot: the current balance (or the previous page's), less later legs. Entries never change and none is
 * inserted earlier, so a balance shown stays true. By id, because clocks may step back.
 */
const PAGE_SQL = `
with page as (select posting_id, leg_no from (${newest('from_account')} union all ${newest('to_account')}) newest ${NEWEST_FIRST} limit $6),
later as (select ${sumLater('to_account')} - ${sumLater('from_account')} as amount),
within as (
  select *, coalesce(sum(amount) over (${NEWEST_FIRST} rows between unbounded preceding and 1 preceding), 0) as newer
    from (${ofPage('from_account', '-amount_minor')} union all ${ofPage('to_account', 'amount_minor')}) legs
)
select w.posting_id::text as posting_id, w.leg_no, w.at, p.kind, t.transaction_code, w.amount::text as amount,
    (coalesce($7::numeric, (select balance_minor from accounts where id = $1)) - later.amount - w.newer)::text as balance
  from within w cross join later join postings p on p.id = w.posting_id left join transactions t on t.id = p.transaction_id
 where w.at >= $4 and w.at < $5 order by w.posting_id desc, w.leg_no desc`;

const BALANCES_SQL = `
select coalesce(sum(amount) filter (where at < $2), 0)::text as opening, coalesce(sum(amount) filter (where at < $3), 0)::text as closing,
    coalesce(sum(amount), 0)::text as total, (select balance_minor from accounts where id = $1)::text as kept
  from (select at, -amount_minor as amount from entries where from_account = $1 union all select at, amount_minor from entries where to_account = $1) legs`;

@Injectable()
export class StatementStore {
  constructor(@Inject(LISTS_DATABASE) private readonly db: Queryable) {}

  async walletAccount(partnerId: number, currency: string): Promise<WalletAccount | undefined> {
    const rows = await this.db.query<{ id: string }>(
      'select id from accounts where name = $1',
      [accountName.wallet(partnerId, currency)],
      {
        name: 'wallet_account',
      },
    );
    return rows[0] && { id: Number(rows[0].id), currency };
  }

  /** By entries. Throws if all entries do not give the stored balance: then the ledger is broken. */
  async balances(
    { id, currency }: WalletAccount,
    { from, before }: Pick<StatementQuery, 'from' | 'before'>,
  ): Promise<{ opening: Money; closing: Money }> {
    const [row] = await this.db.query<{ opening: string; closing: string; total: string; kept: string }>(
      BALANCES_SQL,
      [id, from, before],
      { name: 'statement_balances' },
    );
    if (!row || row.total !== row.kept)
      throw new Error(
        `account ${id}: the entries add up to ${row?.total ?? '?'}, but the stored balance is ${row?.kept ?? '?'}. Run npm run ledger:check`,
      );
    return { opening: decodeMoney(row.opening, currency), closing: decodeMoney(row.closing, currency) };
  }

  async page({ account, from, before, behind, limit }: StatementQuery): Promise<StatementLeg[]> {
    const { postingId, legNo } = behind ?? END;
    const rows = await this.db.query<LegRow>(
      PAGE_SQL,
      [account.id, postingId, legNo, from, before, limit, behind?.balanceMinor ?? null],
      {
        name: 'statement_page',
      },
    );
    return rows.map((row) => ({
      postingId: row.posting_id,
      legNo: row.leg_no,
      at: row.at,
      kind: row.kind,
      transactionCode: row.transaction_code,
      amount: decodeMoney(row.amount, account.currency),
      balance: decodeMoney(row.balance, account.currency),
    }));
  }
}
