import type * as DepositKeys from './sandbox/deposit-keys.js';
import type * as EvmAddress from './address/evm-address.js';

/** Addresses of EVM chains. Loads the library that has their curve. */
export function evmAddresses(): Promise<typeof EvmAddress> {
  return import('./address/evm-address.js');
}

/** Keys of a sandbox's deposit addresses. Loads the same. */
export function sandboxDepositKeys(): Promise<typeof DepositKeys> {
  return import('./sandbox/deposit-keys.js');
}
