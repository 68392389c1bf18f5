import { addressFamily, canonicalAddress, readStellarAddress } from '@vuka/chains';
import { BootError } from '@vuka/platform';

import { readAddressList } from './address-list.js';
import type { AddressStore } from './store/address.store.js';

const VARIABLE = 'OWN_ADDRESSES_FILE';
const ADVICE = 'A JSON array of texts, each an address: of EVM chains in lower case or as its checksum has it (EIP-55), of Solana its owner in base58, of Stellar G… or M….';

/**
 * Addresses that are ours: those that were given to partners, and those that are listed. What they send is no deposit: it is value that
 * we held before.
 */
export class OwnAddresses {
  /** `listed`: as loadOwnAddresses gives them. */
  public constructor(
    private readonly store: Pick<AddressStore, 'oursAmong'>,
    private readonly listed: ReadonlySet<string>,
  ) {}

  /** Those of the addresses that are ours, spelt as they were given. On Stellar a muxed address is its account. */
  public async among(addresses: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set([...(await this.store.oursAmong(addresses)), ...addresses.filter((address) => this.listed.has(accountOf(address)))]);
  }
}

/**
 * OWN_ADDRESSES_FILE: treasury, gas wallets, hot wallets, of any family; in the spelling of their chains. Throws BootError, which tells which
 * entry is wrong and not what it is: without one of them our own money could be claimed as a deposit.
 */
export async function loadOwnAddresses(path: string | undefined): Promise<ReadonlySet<string>> {
  if (path === undefined) return new Set();
  const entries = await readAddressList(VARIABLE, path);
  if (!Array.isArray(entries)) throw new BootError(`${VARIABLE} ${path} is no JSON array.`, ADVICE);
  return new Set(await Promise.all(entries.map((entry: unknown, index) => ownAddress(entry, `${VARIABLE} ${path}: entry ${index + 1}`))));
}

async function ownAddress(entry: unknown, place: string): Promise<string> {
  if (typeof entry !== 'string') throw new BootError(`${place} must be a text.`, ADVICE);
  const family = addressFamily(entry);
  if (family === null) throw new BootError(`${place} must be an address.`, ADVICE);
  const address = await canonicalAddress(family, entry);
  if (!address.ok) throw new BootError(`${place} ${address.error}.`, ADVICE);
  return accountOf(address.value);
}

/** All muxed addresses of an account are the account. */
export function accountOf(address: string): string {
  const stellar = readStellarAddress(address);
  return stellar.ok ? stellar.value.account : address;
}
