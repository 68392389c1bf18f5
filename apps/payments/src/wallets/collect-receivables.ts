import { Inject, Injectable } from '@nestjs/common';
import { postingLegs, decodeMoney } from '@vuka/domain';
import { Database } from '@vuka/persistence';
import { type Logger, uuidv7 } from '@vuka/runtime';
import { LOGGER } from '@vuka/service-host';

import { CommitWriter, referenceOf } from '../commit/index.js';

const PARTNERS_PER_ROUND = 100;

/** receivable_collected: takes debts from wallets as soon as they have money. */
@Injectable()
export class CollectReceivables {
  constructor(
    private readonly db: Database,
    private readonly writer: CommitWriter,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Resolves with the count. */
  async run(): Promise<number> {
    const debts = await this.db.query<{ partner_id: number; asset: string; due: string; available: string }>(
      `select r.partner_id, r.asset, (-r.balance_minor)::text as due, w.balance_minor::text as available
         from accounts r join accounts w on w.name = 'wallet:' || r.partner_id || ':' || r.asset
        where r.kind = 'receivable' and r.balance_minor < 0 and w.balance_minor > 0 order by r.id limit $1`,
      [PARTNERS_PER_ROUND],
    );
    const outcomes = await Promise.all(debts.map((debt) => this.collect(debt)));
    return outcomes.filter((collected) => collected).length;
  }

  /** Changes since the read wait for the next round. */
  private async collect({
    partner_id,
    asset,
    due,
    available,
  }: {
    partner_id: number;
    asset: string;
    due: string;
    available: string;
  }): Promise<boolean> {
    const commitId = uuidv7();
    const facts = { partner: partner_id, due: decodeMoney(due, asset), available: decodeMoney(available, asset) };
    const posting = {
      reference: referenceOf('receivable_collected', commitId),
      kind: 'receivable_collected',
      legs: postingLegs('receivable_collected', facts),
    };
    const { outcome } = await this.writer.commit(
      { commitId, transactionId: null, expectedSequence: 0, transitions: [], postings: [posting], outbox: [] },
      'background',
    );
    if (outcome === 'ok')
      this.log.info({ code: 'receivable_collected', partner_id, currency: asset }, 'collected a debt of a partner');
    return outcome === 'ok';
  }
}
