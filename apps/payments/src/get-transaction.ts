import type { paymentsApi, StatusRow } from '@vuka/contracts';
import { currencyDecimals, fail, formatDecimal, ok, PAYOUT_TYPES, publicStatusOf, shortcodeOf, type Result } from '@vuka/domain';
import type { z } from 'zod';

import type { DestinationVault } from './destination-vault.js';
import type { MoveWriter } from './store/move-writer.js';
import type { TransactionSnapshot, TransactionStore } from './store/transaction.store.js';

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
    if (!snapshot || (input.currency !== null && snapshot.terms.currency !== input.currency)) {
      return fail({ code: 'not_found', message: 'No such transaction' });
    }
    return ok(this.toRow(snapshot));
  }

  private toRow({ terms, life, destination, createdAt, updatedAt }: TransactionSnapshot): StatusRow {
    const status = publicStatusOf(life.state);
    const recipient = this.vault.open(terms.id, terms.currency, destination);
    const text = (minor: bigint): string => formatDecimal(minor, currencyDecimals(terms.currency));
    return {
      id: terms.id,
      transaction_code: terms.transactionCode,
      status,
      amount: text(terms.amountMinor),
      // A wallet-funded transaction has no rate, so there is no USD amount to speak of.
      amount_in_usd: '0.00',
      type: PAYOUT_TYPES[recipient.kind],
      shortcode: shortcodeOf(recipient),
      account_number: 'account_number' in recipient ? recipient.account_number : null,
      public_name: life.publicName,
      receipt_number: life.receiptNumber,
      category: 'DISBURSEMENT',
      chain: '',
      asset: null,
      transaction_hash: null,
      message: life.message,
      currency_code: terms.currency,
      is_released: status === 'COMPLETE',
      mobile_network: recipient.kind === 'mobile' ? recipient.mobile_network : '',
      created_at: createdAt.toISOString(),
      bank_code: destination.bankCode,
      bank_name: destination.bankName,
      fee: text(terms.feeMinor),
      service_fee: text(terms.serviceFeeMinor),
      rate: '',
      quote_id: '',
      failure_code: life.failureCode ?? '',
      refund: '',
      order_id: '',
      updated_at: updatedAt.toISOString(),
    };
  }
}
