import type { paymentsApi, StatusRow } from '@vuka/contracts';
import { fail, ok, paidInCurrencies, type Result } from '@vuka/domain';
import type { z } from 'zod';

import type { DestinationVault } from './destination-vault.js';
import { statusRowOf } from './status-row.js';
import type { MoveWriter } from './store/move-writer.js';
import type { TransactionStore } from './store/transaction.store.js';

export type GetTransactionInput = z.output<(typeof paymentsApi)['operations']['getTransaction']['input']>;

/**
 * The status row of one transaction of this partner. Errors: not_found, the same for another partner's, another
 * currency's and none at all; service_unavailable while it is being recorded, for then nobody can say yet.
 */
export class GetTransaction {
  constructor(
    private readonly store: TransactionStore,
    private readonly vault: DestinationVault,
    private readonly writer: Pick<MoveWriter, 'isRecording'>,
  ) {}

  async run(input: GetTransactionInput): Promise<Result<StatusRow>> {
    const code = 'transaction_code' in input.by ? input.by.transaction_code : 'reference' in input.by ? input.by.reference : undefined;
    // Nothing on chain is processed yet, so no transaction has a hash.
    const recording = code !== undefined && this.writer.isRecording(input.partner_id, code);
    const snapshot = code === undefined ? undefined : await this.store.byCode(input.partner_id, code);
    if (!snapshot && recording) {
      return fail({ code: 'service_unavailable', message: 'This transaction is being recorded at this moment. Ask again in a few seconds' });
    }
    if (!snapshot || !isMeant(snapshot.terms.currency, input.currency)) {
      return fail({ code: 'not_found', message: 'No such transaction' });
    }
    return ok(statusRowOf(snapshot, this.vault));
  }
}

/** A currency means every one that its payouts leave a wallet in; null means any. */
function isMeant(currency: string, asked: string | null): boolean {
  return asked === null || (paidInCurrencies(asked) as readonly string[]).includes(currency);
}
