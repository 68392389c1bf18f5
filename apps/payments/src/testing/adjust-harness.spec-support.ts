import { expect } from '@jest/globals';
import type { Problem, Result } from '@vuka/domain';
import { listAuditEntries, Database } from '@vuka/persistence';
import { ManualClock } from '@vuka/runtime';

import { MoneyAdmin, type StatementWanted } from '../admin/money-admin.js';
import type { StatementView } from '../admin/readers/money-views.js';
import { CommitWriter } from '../commit/commit-writer.js';
import { AdjustWallet } from '../wallets/adjust-wallet.js';
import type { KeptAdjustment } from '../wallets/adjustment.store.js';
import { type Part, type Parts, partsOn } from './parts.spec-support.js';
import type { PaymentsDatabase } from './payments-database.spec-support.js';
import { nextPartner } from './payout-harness.spec-support.js';

export const WHY = 'bank slip 81';
export const NOON = new Date('2026-11-20T12:00:00.000Z');
export const EVER = { from: '2026-01-01T00:00:00.000Z', before: '2028-01-01T00:00:00.000Z' };

export const codeOf = (result: Result<unknown, Problem>): string => (result.ok ? 'ok' : result.error.code);

export class AdjustHarness {
  partner = nextPartner();
  readonly clock = new ManualClock(NOON);
  readonly adjusting: AdjustWallet;

  constructor(private readonly pg: PaymentsDatabase) {
    this.adjusting = this.on(pg.db);
  }

  /** In another process. */
  on(db: Database): AdjustWallet {
    return this.parts([Database, db], [CommitWriter, this.parts().get(CommitWriter)]).get(AdjustWallet);
  }

  admin(): MoneyAdmin {
    return this.parts().get(MoneyAdmin);
  }

  async proposed(amount: string, direction: 'fund' | 'debit' = 'fund', by = 'Amina Otieno'): Promise<number> {
    const made = await this.adjusting.propose({
      partnerId: this.partner,
      currency: 'KES',
      direction,
      amount,
      reason: WHY,
      by,
    });
    if (!made.ok) throw new Error(made.error.message);
    return made.value.id;
  }

  approve(adjustmentId: number, by = 'Brian Mwangi', via = this.adjusting): Promise<Result<KeptAdjustment, Problem>> {
    return via.approve({ adjustmentId, reason: 'the slip is there', by });
  }

  async fund(amount: string): Promise<void> {
    expect(codeOf(await this.approve(await this.proposed(amount)))).toBe('ok');
  }

  async wallet(): Promise<bigint | null> {
    const [row] = await this.pg.db.query<{ minor: string }>(
      'select balance_minor::text as minor from accounts where name = $1',
      [`wallet:${this.partner}:KES`],
    );
    return row ? BigInt(row.minor) : null;
  }

  async acts(): Promise<unknown[]> {
    return (await listAuditEntries(this.pg.db, { partnerId: this.partner, limit: 100 }))
      .map(({ act, by, approvedBy }) => [act, by, approvedBy])
      .reverse();
  }

  async whole(more: Partial<StatementWanted> = {}): Promise<StatementView> {
    const answer = await this.admin().statement({
      partnerId: this.partner,
      currency: 'KES',
      ...EVER,
      limit: 500,
      cursor: null,
      ...more,
    });
    if (!answer.ok) throw new Error(answer.error.message);
    return answer.value;
  }

  private parts(...instead: readonly Part[]): Parts {
    return partsOn(this.pg.db, this.clock, [], ...instead);
  }
}
