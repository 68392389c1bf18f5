import type { Queryable } from '@vuka/persistence';

import { referenceOf } from '../commit/index.js';

export interface ChainQuestion {
  readonly deposits: readonly number[];
  readonly refunds: readonly number[];
}

/** All at one moment. */
export interface ChainAccountsView {
  /** The account's negative, in the token's minor units. */
  readonly accounts: readonly { readonly chain: string; readonly asset: string; readonly held_minor: bigint }[];
  /** Not reverted. */
  readonly deposits: readonly number[];
  /** Sent. */
  readonly refunds: readonly number[];
}

/** Needs one snapshot. */
export async function chainAccounts(
  snapshot: Pick<Queryable, 'query'>,
  asked: ChainQuestion,
): Promise<ChainAccountsView> {
  const accounts = await snapshot.query<{ name: string; held: string }>(
    `select a.name, sum(case when e.from_account = a.id then e.amount_minor else -e.amount_minor end)::text as held
       from accounts a join entries e on a.id in (e.from_account, e.to_account) where a.kind = 'chain' group by a.name order by a.name`,
  );
  const deposits = await snapshot.query<{ id: string }>(
    `select deposit_id::text as id from deposits where deposit_id = any ($1::bigint[]) and state <> 'reverted'`,
    [asked.deposits],
  );
  const references = asked.refunds.flatMap((id) => [
    referenceOf('refund_settled', id),
    referenceOf('refund_settled_owed', id),
  ]);
  const refunds = await snapshot.query<{ id: string }>(
    `select split_part(reference, ':', 2) as id from postings where reference = any ($1::text[])`,
    [references],
  );
  return {
    accounts: accounts.map(({ name, held }) => {
      const [, chain = '', asset = ''] = name.split(':');
      return { chain, asset, held_minor: BigInt(held) };
    }),
    deposits: deposits.map(({ id }) => Number(id)),
    refunds: refunds.map(({ id }) => Number(id)),
  };
}
