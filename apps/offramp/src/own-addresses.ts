import { checksumAddress } from '@vuka/chains';
import { BootError } from '@vuka/platform';

import { readAddressList } from './address-list.js';
import type { AddressStore } from './store/address.store.js';

const VARIABLE = 'OWN_ADDRESSES_FILE';
const ADVICE = 'A JSON array of texts, each an address in lower case or as its checksum has it (EIP-55).';

/**
 * Addresses that are ours: those that were given to partners, and those that are listed. What they send is no deposit: it is value that
 * we held before.
 */
export class OwnAddresses {
  /** `listed`: in EIP-55, as loadOwnAddresses gives them. */
  public constructor(
    private readonly store: Pick<AddressStore, 'oursAmong'>,
    private readonly listed: ReadonlySet<string>,
  ) {}

  /** Those of the senders that are ours. `senders`: in EIP-55. */
  public async among(senders: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set([...(await this.store.oursAmong(senders)), ...senders.filter((sender) => this.listed.has(sender))]);
  }
}

/**
 * OWN_ADDRESSES_FILE: treasury, gas wallets, hot wallets; in EIP-55. Throws BootError, which tells which entry is wrong and not what it is:
 * without one of them our own money could be claimed as a deposit.
 */
export async function loadOwnAddresses(path: string | undefined): Promise<ReadonlySet<string>> {
  if (path === undefined) return new Set();
  const entries = await readAddressList(VARIABLE, path);
  if (!Array.isArray(entries)) throw new BootError(`${VARIABLE} ${path} is no JSON array.`, ADVICE);
  return new Set(entries.map((entry: unknown, index) => addressOf(entry, `${VARIABLE} ${path}: entry ${index + 1}`)));
}

function addressOf(entry: unknown, place: string): string {
  if (typeof entry !== 'string') throw new BootError(`${place} must be a text.`, ADVICE);
  const address = checksumAddress(entry);
  if (!address.ok) throw new BootError(`${place} ${address.error}.`, ADVICE);
  return address.value;
}
