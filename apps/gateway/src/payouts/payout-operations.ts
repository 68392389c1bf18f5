import type {
  Acceptance,
  CallContext,
  InternalClient,
  paymentsApi,
  PayoutOperation,
  WalletOperation,
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

import type { CheckDeposit } from './check-deposit.js';
import type { JsonBody } from '../http/index.js';

type Payments = Pick<InternalClient<typeof paymentsApi>, 'acceptPayout' | 'acceptPay'>;

/** What a payout is accepted by, whatever funds it. */
export type PayoutDetails = Omit<Parameters<Payments['acceptPayout']>[0], 'operation'>;

/** A request as the rules of its operation left it. */
export interface ReadPayout {
  readonly payout: PayoutRequest;
  /** Whether what lies beyond the request lets it through, asked before anything is written; and how it is accepted then. */
  allowed(partnerId: number, context: CallContext): Promise<Result<Accept>>;
}

/** Has payments record it. */
export type Accept = (terms: PayoutDetails, context: CallContext) => Promise<Result<Acceptance>>;

export interface PayoutOperationsOptions {
  readonly payments: Payments;
  readonly deposits: Pick<CheckDeposit, 'run'>;
}

/** What each operation makes of a body. */
export type PayoutReaders = Readonly<
  Record<PayoutOperation, (currency: Currency, body: JsonBody) => Result<ReadPayout>>
>;

export function payoutReaders(options: PayoutOperationsOptions): PayoutReaders {
  return {
    bank_transfer: (currency, body) =>
      as(parseBankTransfer(currency, body), (payout) => fromWallet('bank_transfer', payout, options)),
    disburse: (currency, body) =>
      as(parseDisburse(currency, body), (payout) => fromWallet('disburse', payout, options)),
    pay: (currency, body) => as(parsePay(currency, body), (pay) => fromDeposit(pay, options)),
  };
}

function as<P>(parsed: Result<P>, reading: (payout: P) => ReadPayout): Result<ReadPayout> {
  return parsed.ok ? ok(reading(parsed.value)) : parsed;
}

/** Whether the wallet covers it, payments alone can say. */
function fromWallet(
  operation: WalletOperation,
  payout: PayoutRequest,
  { payments }: PayoutOperationsOptions,
): ReadPayout {
  return {
    payout,
    allowed: async () => ok((terms, context) => payments.acceptPayout({ operation, ...terms }, context)),
  };
}

function fromDeposit(pay: PayRequest, { payments, deposits }: PayoutOperationsOptions): ReadPayout {
  const { chain, transactionHash, asset, quoteId } = pay;
  return {
    payout: pay,
    allowed: async (partnerId, context) => {
      const checked = await deposits.run(pay, partnerId, context);
      if (!checked.ok) return checked;
      const deposit = {
        chain,
        transaction_hash: transactionHash,
        asset,
        quote_id: quoteId,
        refund_address: checked.value.refundAddress,
      };
      return ok((terms, accepting) => payments.acceptPay({ ...terms, ...deposit }, accepting));
    },
  };
}
