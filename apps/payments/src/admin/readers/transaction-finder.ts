import { Inject, Injectable } from '@nestjs/common';
import { Database, type Queryable } from '@vuka/persistence';

import { SUMMARY_COLUMNS, summaryOf, type SummaryRow } from './view-values.js';
import type { TransactionSummary } from './views.js';

const MOST = 20;
/** Fits into bigint. */
const ID = /^[1-9]\d{0,17}$/;

/** A code is unique per partner only, and digits may also be another's id: then the caller gets several. */
@Injectable()
export class TransactionFinder {
  constructor(@Inject(Database) private readonly db: Queryable) {}

  /** At most 20, oldest first. */
  async find(codeOrId: string, partnerId: number | null): Promise<TransactionSummary[]> {
    const rows = await this.db.query<SummaryRow>(
      `select ${SUMMARY_COLUMNS} from transactions t
        where (t.id in (select k.transaction_id from transaction_keys k where k.reference = $1 and ($3::integer is null or k.partner_id = $3))
            or t.id = $2::bigint) and ($3::integer is null or t.partner_id = $3)
        order by t.id limit ${MOST}`,
      [codeOrId, ID.test(codeOrId) ? codeOrId : null, partnerId],
    );
    return rows.map(summaryOf);
  }
}
