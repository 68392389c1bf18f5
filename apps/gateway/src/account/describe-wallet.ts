import type { CallContext, InternalClient, paymentsApi } from '@vuka/contracts';
import { fail, ok, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';

import { read } from '../calls/index.js';
import type { Caller } from '../keys/index.js';
import { walletView, type WalletView } from './wallet-view.js';

export interface DescribeWalletOptions {
  readonly payments: Pick<InternalClient<typeof paymentsApi>, 'listWallets'>;
  readonly log: Logger;
}

/** One of the caller's wallets. Errors: not_found (another partner's, none, and no id at all look the same), service_unavailable. */
export class DescribeWallet {
  constructor(private readonly options: DescribeWalletOptions) {}

  /** `id` as it stands in the path. */
  async run(caller: Caller, id: string, context: CallContext): Promise<Result<WalletView>> {
    const listed = await read(this.options.log, () =>
      this.options.payments.listWallets({ partner_id: caller.partnerId }, context),
    );
    if (!listed.ok) return listed;
    const wallet = listed.value.wallets.find((candidate) => String(candidate.id) === id);
    return wallet === undefined ? fail({ code: 'not_found', message: 'No such wallet' }) : ok(walletView(wallet));
  }
}
