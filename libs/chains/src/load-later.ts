import type * as DepositKeys from './sandbox/deposit-keys.js';
import type * as EvmAddress from './address/evm-address.js';

/** Loads the elliptic curve library only now. */
export function evmAddresses(): Promise<typeof EvmAddress> {
  return import('./address/evm-address.js');
}

export function sandboxDepositKeys(): Promise<typeof DepositKeys> {
  return import('./sandbox/deposit-keys.js');
}
