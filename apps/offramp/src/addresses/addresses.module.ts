import { Module } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import { SETTINGS } from '@vuka/service-host';

import { ChainsModule, SERVED_CHAIN_NAMES } from '../chains/index.js';
import { ADDRESS_SOURCES, openAddressSources } from './address-sources.js';
import { AddressStore } from './address.store.js';
import { DepositAddresses } from './deposit-addresses.js';
import { loadOwnAccounts, OWN_ACCOUNTS, OwnAddresses } from './own-addresses.js';
import { loadRefundWallets, REFUND_WALLETS, type RefundWallets } from './refund-wallets.js';

@Module({
  imports: [ChainsModule],
  providers: [
    {
      provide: ADDRESS_SOURCES,
      inject: [SETTINGS, SERVED_CHAIN_NAMES],
      useFactory: ({ chains }: Settings, served: ReadonlySet<string>) => openAddressSources(chains, served),
    },
    {
      provide: REFUND_WALLETS,
      inject: [SETTINGS],
      useFactory: ({ chains, env }: Settings) => loadRefundWallets(chains, env),
    },
    {
      provide: OWN_ACCOUNTS,
      inject: [SETTINGS, REFUND_WALLETS],
      useFactory: ({ chains }: Settings, wallets: RefundWallets) => loadOwnAccounts(chains, wallets),
    },
    AddressStore,
    DepositAddresses,
    OwnAddresses,
  ],
  exports: [ADDRESS_SOURCES, REFUND_WALLETS, DepositAddresses, OwnAddresses],
})
export class AddressesModule {}
