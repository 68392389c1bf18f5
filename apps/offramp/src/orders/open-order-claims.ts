import { Injectable } from '@nestjs/common';
import { acceptedTokens, type Chain } from '@vuka/domain';
import type { Transaction } from '@vuka/persistence';

import type { NewIncomingTransfer } from '../incoming-transfers/index.js';

@Injectable()
export class OrderClaims {
  /**
   * One claim per transfer of an accepted token, on any chain of the family; an unusable one is reopened. Runs in the
   * commit that moves the cursor. true: wake the checks.
   */
  public async open(
    tx: Transaction,
    chain: Chain,
    incomingTransfers: readonly NewIncomingTransfer[],
    now: Date,
  ): Promise<boolean> {
    const accepted = new Set(acceptedTokens(chain).map(({ symbol }) => symbol));
    const worthACheck = incomingTransfers.filter(
      ({ isDust, symbol }) => !isDust && symbol !== null && accepted.has(symbol),
    );
    if (worthACheck.length === 0) return false;
    const opened = await tx.query(
      OPEN_SQL,
      [
        chain.name,
        worthACheck.map(({ transactionHash }) => transactionHash),
        worthACheck.map(({ address }) => address),
        now,
        new Date(now.getTime() + chain.searchForMs),
        chain.family,
      ],
      { name: 'offramp_open_order_claims' },
    );
    return opened.length > 0;
  }
}

const OPEN_SQL = `
insert into claims (transaction_id, order_number, partner_id, chain, transaction_hash, asset, currency, amount_minor, rate, accepted_at, deadline, state, next_check_at,
                    correlation_id, causation_id, created_at)
select nextval('order_claim_ids'), w.order_number, w.partner_id, $1, new.transaction_hash, null, w.currency, w.amount_minor, w.rate, $4, $5, 'open', $4,
       w.correlation_id, w.causation_id, $4
from (select distinct transaction_hash, address from unnest($2::text[], $3::text[]) as told (transaction_hash, address)) new
join order_watches w on w.address = new.address and w.family = $6
order by w.order_number, new.transaction_hash
on conflict (order_number, chain, transaction_hash) where order_number is not null do update
  set state = 'open', reason = null, accepted_at = $4, deadline = $5, next_check_at = $4, judged_at = null, checked_at = null, seen_at = null, told_sight = null
  where claims.state = 'unusable'
returning transaction_id`;
