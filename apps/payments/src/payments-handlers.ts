import { Injectable } from '@nestjs/common';
import type { InternalHandlers, paymentsApi } from '@vuka/contracts';

import { TakeCallback } from './callbacks/index.js';
import { TransactionHandlers } from './lists/index.js';
import { PayoutHandlers } from './payouts/index.js';
import { RequestRefund } from './refunds/index.js';
import { WalletHandlers } from './wallets/index.js';

@Injectable()
export class PaymentsHandlers {
  readonly all: InternalHandlers<typeof paymentsApi>;

  constructor(
    payouts: PayoutHandlers,
    transactions: TransactionHandlers,
    wallets: WalletHandlers,
    refunds: RequestRefund,
    callbacks: TakeCallback,
  ) {
    this.all = {
      ...payouts.handlers,
      ...transactions.handlers,
      ...wallets.handlers,
      requestRefund: (input, context) => refunds.run(input, context),
      takeCallback: (input) => callbacks.run(input),
    };
  }
}
