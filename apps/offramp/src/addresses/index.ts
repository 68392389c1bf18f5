export { readAddressList } from './address-list.js';
export { type AddressSources, openAddressSources } from './address-sources.js';
export { AddressStore } from './address.store.js';
export { type DepositAddress, DepositAddresses, type SettlementAddress, settlementOf } from './deposit-addresses.js';
export { accountOf, loadOwnAddresses, loadOwnWallets, OwnAddresses, type OwnWallets } from './own-addresses.js';
export { keyOf, loadRefundWallets, type RefundWallet, type RefundWallets } from './refund-wallets.js';
export { SANDBOX_XPUB } from './sandbox-xpub.js';
