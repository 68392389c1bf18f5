import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import { fail, type Result } from '@vuka/domain';
import { Database } from '@vuka/persistence';
import { SETTINGS } from '@vuka/service-host';

import { TransactionStore } from '../transactions/index.js';

/** A deposit takes a minute or more to be final. */
const RETRY_AFTER_S = 60;

// The index has only waiting pays, and is read up to the bound.
const COUNT_SQL = `
select count(*)::integer as waiting from (
  select 1 from transactions where partner_id = $1 and state in ('AWAITING_FUNDS', 'CONFIRMING') limit $2
) as found`;

/**
 * Each waiting pay is polled on its chain and costs the partner nothing. Simultaneous ones may pass together;
 * accepted ones are answered as before.
 */
@Injectable()
export class PendingPayLimit {
  private readonly most: number;

  constructor(
    @Inject(Database) private readonly db: Pick<Database, 'query'>,
    private readonly store: TransactionStore,
    @Inject(SETTINGS) settings: Pick<Settings, 'mostWaitingPays'>,
  ) {
    this.most = settings.mostWaitingPays;
  }

  async run(partnerId: number, transactionCode: string): Promise<Result<never> | null> {
    const [found] = await this.db.query<{ waiting: number }>(COUNT_SQL, [partnerId, this.most], {
      name: 'waiting_pays',
    });
    if ((found?.waiting ?? 0) < this.most || (await this.store.acceptedUnder(partnerId, transactionCode)) !== undefined)
      return null;
    return fail({
      code: 'rate_limited',
      message: `${String(this.most)} payments of this account wait for their deposits already, so this request was not accepted. Send it again when some of them have ended`,
      retryAfterS: RETRY_AFTER_S,
    });
  }
}
