export { readAddressList } from './address-list.js';
export { ADDRESS_SOURCES, type AddressSources } from './address-sources.js';
export { AddressesModule } from './addresses.module.js';
export { type DepositAddress, DepositAddresses, type SettlementAddress, settlementOf } from './deposit-addresses.js';
export { accountOf, loadOwnWallets, OwnAddresses, type OwnWallets } from './own-addresses.js';
export { keyOf, loadRefundWallets, REFUND_WALLETS, type RefundWallet, type RefundWallets } from './refund-wallets.js';
export { SANDBOX_XPUB } from './sandbox-xpub.js';
