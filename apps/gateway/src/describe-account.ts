import type { CallContext, InternalClient, NetworkView, offrampApi, paymentsApi } from '@vuka/contracts';
import { currencyDecimals, fail, findCurrency, formatDecimal, ok, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/platform';
import { LosslessNumber } from 'lossless-json';

import type { Caller } from './authenticate-caller.js';
import { read } from './service-call.js';
import type { PartnerAccount } from './store/partners.store.js';
import { DATABASE_WAIT_MS, within } from './within.js';

/** decisions.md section 2, account (compat). `balance` is a JSON number with the currency's fixed decimals. */
export interface AccountView {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly status: 'ACTIVE';
  readonly checkout_key: string;
  readonly wallets: readonly WalletOfAccount[];
  readonly networks: readonly NetworkView[];
  readonly created_at: string;
}

export interface WalletOfAccount {
  readonly id: number;
  readonly balance: LosslessNumber;
  readonly currency: string;
  readonly country_name: string;
}

export interface DescribeAccountOptions {
  readonly partners: { findAccount(partnerId: number): Promise<PartnerAccount | null> };
  readonly payments: Pick<InternalClient<typeof paymentsApi>, 'listWallets'>;
  readonly offramp: Pick<InternalClient<typeof offrampApi>, 'listNetworks'>;
  readonly log: Logger;
}

/** USD is a wallet currency only, so the registry of destinations has no country for it. */
const USD_COUNTRY_NAME = 'United States';

/** The caller's account: who it is, its wallets, and the networks it may be paid on. Errors: service_unavailable. */
export class DescribeAccount {
  constructor(private readonly options: DescribeAccountOptions) {}

  async run(caller: Caller, context: CallContext): Promise<Result<AccountView>> {
    const { partners, payments, offramp, log } = this.options;
    const query = { partner_id: caller.partnerId };
    const [partner, wallets, networks] = await Promise.all([
      read(log, async () => foundOr404(await within(DATABASE_WAIT_MS, 'find an account', partners.findAccount(caller.partnerId)))),
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
      wallets: wallets.value.wallets.map(walletOf),
      networks: networks.value.networks,
      created_at: createdAt.toISOString(),
    });
  }
}

function foundOr404(account: PartnerAccount | null): Result<PartnerAccount> {
  return account === null ? fail({ code: 'not_found', message: 'The account does not exist any more' }) : ok(account);
}

function walletOf(wallet: { id: number; currency: string; balance_minor: string }): WalletOfAccount {
  const { id, currency, balance_minor } = wallet;
  return {
    id,
    // Written out digit for digit: a float would lose cents of a large balance.
    balance: new LosslessNumber(formatDecimal(BigInt(balance_minor), currencyDecimals(currency))),
    currency,
    country_name: findCurrency(currency)?.country_name ?? USD_COUNTRY_NAME,
  };
}
