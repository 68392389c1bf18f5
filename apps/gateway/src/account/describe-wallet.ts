import { Inject, Injectable } from '@nestjs/common';
import { paymentsApi, type CallContext, type InternalClient } from '@vuka/contracts';
import { fail, ok, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';
import { LOGGER, clientOf } from '@vuka/service-host';

import { read } from '../calls/index.js';
import type { Caller } from '../keys/index.js';
import { walletView, type WalletView } from './wallet-view.js';

/** Errors: not_found (also for another partner's wallet or an invalid id), service_unavailable. */
@Injectable()
export class DescribeWallet {
  constructor(
    @Inject(clientOf(paymentsApi)) private readonly payments: Pick<InternalClient<typeof paymentsApi>, 'listWallets'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async run(caller: Caller, id: string, context: CallContext): Promise<Result<WalletView>> {
    const listed = await read(this.log, () => this.payments.listWallets({ partner_id: caller.partnerId }, context));
    if (!listed.ok) return listed;
    const wallet = listed.value.wallets.find((candidate) => String(candidate.id) === id);
    return wallet === undefined ? fail({ code: 'not_found', message: 'No such wallet' }) : ok(walletView(wallet));
  }
}
