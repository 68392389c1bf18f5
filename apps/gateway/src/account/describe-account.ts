import { Inject, Injectable } from '@nestjs/common';
import { paymentsApi, type CallContext, type InternalClient, type NetworkView, offrampApi } from '@vuka/contracts';
import { fail, ok, type Result } from '@vuka/domain';
import type { Clock, Logger } from '@vuka/runtime';
import { CLOCK, LOGGER, clientOf } from '@vuka/service-host';

import { DATABASE_WAIT_MS, read, withTimeout } from '../calls/index.js';
import type { Caller } from '../keys/index.js';
import { type PartnerAccount, PartnersStore } from '../partners/index.js';
import { walletView, type WalletView } from './wallet-view.js';

/** decisions.md section 2, account (compat). */
export interface AccountView {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly status: 'ACTIVE';
  readonly checkout_key: string;
  readonly wallets: readonly WalletView[];
  readonly networks: readonly NetworkView[];
  readonly created_at: string;
}

/** Errors: service_unavailable. */
@Injectable()
export class DescribeAccount {
  constructor(
    private readonly partners: PartnersStore,
    @Inject(clientOf(paymentsApi)) private readonly payments: Pick<InternalClient<typeof paymentsApi>, 'listWallets'>,
    @Inject(clientOf(offrampApi)) private readonly offramp: Pick<InternalClient<typeof offrampApi>, 'listNetworks'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async run(caller: Caller, context: CallContext): Promise<Result<AccountView>> {
    const { partners, payments, offramp, clock, log } = this;
    const query = { partner_id: caller.partnerId };
    const [partner, wallets, networks] = await Promise.all([
      read(log, async () =>
        foundOr404(
          await withTimeout(DATABASE_WAIT_MS, 'find an account', partners.findAccount(caller.partnerId, clock.now())),
        ),
      ),
      read(log, () => payments.listWallets(query, context)),
      read(log, () => offramp.listNetworks(query, context)),
    ]);
    if (!partner.ok) return partner;
    if (!wallets.ok) return wallets;
    if (!networks.ok) return networks;
    const { id, name, email, createdAt, checkoutKeyPrefix } = partner.value;
    return ok({
      id,
      name,
      email,
      status: 'ACTIVE',
      checkout_key: checkoutKeyPrefix,
      wallets: wallets.value.wallets.map(walletView),
      networks: networks.value.networks,
      created_at: createdAt.toISOString(),
    });
  }
}

function foundOr404(account: PartnerAccount | null): Result<PartnerAccount> {
  return account === null ? fail({ code: 'not_found', message: 'The account does not exist any more' }) : ok(account);
}
