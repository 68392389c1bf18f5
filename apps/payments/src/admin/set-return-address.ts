import { Inject, Injectable } from '@nestjs/common';
import { addressFault, chainNamed, fail, ok, type Problem, type Result, nameOf } from '@vuka/domain';
import { recordAuditEntry, Database } from '@vuka/persistence';
import { type Clock, maskText } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { timeOf } from './readers/view-values.js';
import type { ReturnAddressView } from './readers/views.js';

export interface NewReturnAddress {
  readonly partnerId: number;
  /** Any of the family. */
  readonly chain: string;
  /** null: remove. */
  readonly address: string | null;
  readonly reason: string;
  readonly by: string;
}

interface Row {
  partner_id: number;
  family: string;
  address: string | null;
  reason: string;
  set_by: string;
  set_at: Date;
}

/** For refunds without an address. Earlier rows are kept; refunds under way keep their address. */
@Injectable()
export class SetReturnAddress {
  constructor(
    private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Checks only the form; a wrong checksum fails the refund later (`address_refused`). Errors:
   * unsupported_network, invalid_request, not_found (partner).
   */
  async run({
    partnerId,
    chain: name,
    address,
    reason,
    by,
  }: NewReturnAddress): Promise<Result<ReturnAddressView, Problem>> {
    const chain = chainNamed(name.toUpperCase());
    if (!chain) return fail({ code: 'unsupported_network', message: `There is no chain "${name}".` });
    const fault = address === null ? null : addressFault(chain, address);
    if (fault !== null) return fail({ code: 'invalid_request', message: `--address ${fault}.` });
    const [known] = await this.db.query('select from accounts where partner_id = $1 limit 1', [partnerId]);
    if (!known) return fail({ code: 'not_found', message: `There is no partner ${partnerId} with a wallet.` });
    const [at, who, kept] = [this.clock.now(), nameOf(by), maskText(reason)];
    const row = await this.db.inTransaction(async (tx) => {
      const [made] = await tx.query<Row>(
        `insert into return_addresses (partner_id, family, address, reason, set_by, set_at) values ($1, $2, $3, $4, $5, $6)
         returning partner_id, family, address, reason, set_by, set_at`,
        [partnerId, chain.family, address, kept, who, at],
      );
      if (!made) throw new Error('an inserted row is returned');
      await recordAuditEntry(tx, {
        by: who,
        act: 'return_address.set',
        partnerId,
        subject: `return address ${chain.family}`,
        reason: kept,
        details: { address },
        at,
      });
      return made;
    });
    return ok({ ...row, set_at: timeOf(row.set_at) });
  }
}
