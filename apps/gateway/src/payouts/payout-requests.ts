import { Inject, Injectable } from '@nestjs/common';
import {
  paymentsApi,
  type Acceptance,
  type CallContext,
  type InternalClient,
  type PayoutOperation,
  type WalletOperation,
} from '@vuka/contracts';
import {
  ok,
  parseBankTransfer,
  parseDisburse,
  parsePay,
  type Currency,
  type PayoutRequest,
  type PayRequest,
  type Result,
} from '@vuka/domain';
import { clientOf } from '@vuka/service-host';

import { CheckDeposit } from './check-deposit.js';
import type { JsonBody } from '../http/index.js';

type Payments = Pick<InternalClient<typeof paymentsApi>, 'acceptPayout' | 'acceptPay'>;

export type PayoutDetails = Omit<Parameters<Payments['acceptPayout']>[0], 'operation'>;

export interface ReadPayout {
  readonly payout: PayoutRequest;
  /** Checks outside the request, before anything is written; gives the way to accept. */
  allowed(partnerId: number, context: CallContext): Promise<Result<Accept>>;
}

export type Accept = (terms: PayoutDetails, context: CallContext) => Promise<Result<Acceptance>>;

@Injectable()
export class PayoutRequests {
  private readonly readers: Readonly<
    Record<PayoutOperation, (currency: Currency, body: JsonBody) => Result<ReadPayout>>
  > = {
    bank_transfer: (currency, body) =>
      as(parseBankTransfer(currency, body), (payout) => this.fromWallet('bank_transfer', payout)),
    disburse: (currency, body) => as(parseDisburse(currency, body), (payout) => this.fromWallet('disburse', payout)),
    pay: (currency, body) => as(parsePay(currency, body), (pay) => this.fromDeposit(pay)),
  };

  constructor(
    @Inject(clientOf(paymentsApi)) private readonly payments: Payments,
    private readonly deposits: CheckDeposit,
  ) {}

  read(operation: PayoutOperation, currency: Currency, body: JsonBody): Result<ReadPayout> {
    return this.readers[operation](currency, body);
  }

  /** Only payments knows whether the wallet covers it. */
  private fromWallet(operation: WalletOperation, payout: PayoutRequest): ReadPayout {
    return {
      payout,
      allowed: async () => ok((terms, context) => this.payments.acceptPayout({ operation, ...terms }, context)),
    };
  }

  private fromDeposit(pay: PayRequest): ReadPayout {
    const { chain, transactionHash, asset, quoteId } = pay;
    return {
      payout: pay,
      allowed: async (partnerId, context) => {
        const checked = await this.deposits.run(pay, partnerId, context);
        if (!checked.ok) return checked;
        const deposit = {
          chain,
          transaction_hash: transactionHash,
          asset,
          quote_id: quoteId,
          refund_address: checked.value.refundAddress,
        };
        return ok((terms, accepting) => this.payments.acceptPay({ ...terms, ...deposit }, accepting));
      },
    };
  }
}

function as<P>(parsed: Result<P>, reading: (payout: P) => ReadPayout): Result<ReadPayout> {
  return parsed.ok ? ok(reading(parsed.value)) : parsed;
}
