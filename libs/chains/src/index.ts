export { addressFamily, canonicalAddress } from './address/canonical-address.js';
export { muxedAddress, readStellarAddress, type StellarParts } from './address/stellar-address.js';
export { MOST_BALANCE_ADDRESSES, type ChainBalances, type Holdings } from './balances.js';
export type {
  IncomingTransfer,
  BlockAt,
  ChainHealth,
  DepositReader,
  EndpointState,
  Scan,
  ScanCursor,
} from './deposit-reader.js';
export { evmAddresses, sandboxDepositKeys } from './load-later.js';
export { openBalances } from './open-balances.js';
export { openOutgoing, transferSigner } from './open-outgoing.js';
export { costOf } from './outgoing.js';
export { openReader } from './open-reader.js';
export type {
  Broadcast, NextPlace, OutgoingOptions, OutgoingTransfers, OutgoingTrouble, Preparation, SignedTransfer, TransferCost, TransferFate, TransferOrder, TransferSigner, UnclearFate, UnsignedTransfer,
} from './outgoing.js'; // prettier-ignore
export type { ChainReader } from './reader/chain-reader.js';
export type { ReaderOptions } from './reader/create-reader.js';
export { scannedHeight } from './scan-height.js';
export { sandboxNodeFile } from './sandbox/node-file.js';
export type { SandboxChain } from './sandbox/sandbox-chain.js';
export { openEvmSandbox, openSandboxHands } from './sandbox/open-sandbox.js';
export {
  SandboxNodeError,
  type SandboxHands,
  type SandboxTransfer,
  type SentTransfer,
} from './sandbox/sandbox-hands.js';
export { endowRefundWallet, newRefundKeys, type WalletKey } from './sandbox/refund-keys.js';
export { SANDBOX_PAYER } from './sandbox/sandbox-payer.js';
export { SANDBOX_WALLET_TOKENS } from './sandbox/wallet-tokens.js';
export { SandboxSolana } from './sandbox/solana/sandbox-solana.js';
export {
  SANDBOX_STELLAR_FAKE_ISSUER,
  SANDBOX_STELLAR_PAYER,
  SandboxStellar,
  type SentToStellar,
  type StellarSend,
} from './sandbox/stellar/sandbox-stellar.js';
