import { Injectable } from '@nestjs/common';
import { fail, ok, type Problem, type Result, encodeMinor } from '@vuka/domain';
import { Database } from '@vuka/persistence';

import { FreezePayouts, FreezeStore, type FreezeWish } from '../controls/index.js';
import { PageCursors } from '../lists/index.js';
import {
  type AdjustmentProposal,
  AdjustmentStore,
  type AdjustmentsWanted,
  type AdjustmentWord,
  AdjustWallet,
  type KeptAdjustment,
  StatementStore,
  WalletStatement,
} from '../wallets/index.js';
import {
  adjustmentView,
  freezeView,
  type AdjustmentView,
  type FreezeView,
  type StatementView,
  type WalletView,
} from './readers/money-views.js';
import { moneyOf } from './readers/view-values.js';

export interface StatementWanted {
  readonly partnerId: number;
  readonly currency: string;
  /** RFC 3339; `from` inclusive, `before` exclusive. */
  readonly from: string;
  readonly before: string;
  readonly limit: number;
  /** null: the newest. */
  readonly cursor: string | null;
}

interface WalletRow {
  asset: string;
  wallet: string;
  held: string;
  owed: string;
}

@Injectable()
export class MoneyAdmin {
  constructor(
    private readonly db: Database,
    private readonly adjusting: AdjustWallet,
    private readonly kept: AdjustmentStore,
    private readonly freezing: FreezePayouts,
    private readonly keptFreezes: FreezeStore,
    private readonly cursors: PageCursors,
  ) {}

  async proposeAdjustment(proposal: AdjustmentProposal): Promise<Result<AdjustmentView, Problem>> {
    return viewed(await this.adjusting.propose(proposal), adjustmentView);
  }

  async approveAdjustment(word: AdjustmentWord): Promise<Result<AdjustmentView, Problem>> {
    return viewed(await this.adjusting.approve(word), adjustmentView);
  }

  async withdrawAdjustment(word: AdjustmentWord): Promise<Result<AdjustmentView, Problem>> {
    return viewed(await this.adjusting.withdraw(word), adjustmentView);
  }

  async adjustments(wanted: AdjustmentsWanted): Promise<AdjustmentView[]> {
    return (await this.kept.list(wanted)).map(adjustmentView);
  }

  async adjustment(id: number): Promise<AdjustmentView | undefined> {
    const found: KeptAdjustment | undefined = await this.kept.byId(id);
    return found && adjustmentView(found);
  }

  async freeze(wish: FreezeWish): Promise<Result<FreezeView, Problem>> {
    return viewed(await this.freezing.freeze(wish), freezeView);
  }

  async unfreeze(wish: FreezeWish): Promise<Result<FreezeView, Problem>> {
    return viewed(await this.freezing.unfreeze(wish), freezeView);
  }

  /** Includes lifted ones. */
  async freezes(wanted: { readonly partnerId?: number | undefined; readonly limit: number }): Promise<FreezeView[]> {
    return (await this.keptFreezes.list(wanted)).map(freezeView);
  }

  async wallets(partnerId: number): Promise<WalletView[]> {
    const rows = await this.db.query<WalletRow>(
      `select asset, coalesce(sum(balance_minor) filter (where kind = 'wallet'), 0)::text as wallet, coalesce(sum(balance_minor) filter (where kind = 'held'), 0)::text as held,
              coalesce(-sum(balance_minor) filter (where kind = 'receivable'), 0)::text as owed
         from accounts where partner_id = $1 and kind in ('wallet', 'held', 'receivable') group by asset order by asset`,
      [partnerId],
    );
    return rows.map(({ asset, wallet, held, owed }) => ({
      currency: asset,
      balance: moneyOf(wallet, asset),
      balance_minor: wallet,
      held: moneyOf(held, asset),
      owed: moneyOf(owed, asset),
    }));
  }

  /** The same reads as partners' statements, in one snapshot. Errors: not_found, invalid_request (cursor). */
  async statement({
    partnerId,
    currency,
    from,
    before,
    limit,
    cursor,
  }: StatementWanted): Promise<Result<StatementView, Problem>> {
    return this.db.inTransaction<Result<StatementView, Problem>>(async (tx) => {
      await tx.query('set transaction isolation level repeatable read, read only');
      const store = new StatementStore(tx);
      const page = await new WalletStatement(store, this.cursors).run({
        partner_id: partnerId,
        currency,
        from,
        before,
        limit,
        cursor,
      });
      if (!page.ok) return page;
      const account = await store.walletAccount(partnerId, currency);
      if (account === undefined) return fail({ code: 'not_found', message: `There is no ${currency} wallet` });
      const balances = cursor === null ? await store.balances(account, { from, before }) : null;
      return ok({
        partner_id: partnerId,
        currency,
        opening: balances && moneyOf(encodeMinor(balances.opening), currency),
        closing: balances && moneyOf(encodeMinor(balances.closing), currency),
        entries: page.value.entries,
        next_cursor: page.value.next_cursor,
      });
    });
  }
}

function viewed<T, V>(result: Result<T, Problem>, view: (value: T) => V): Result<V, Problem> {
  return result.ok ? ok(view(result.value)) : result;
}
