import { addressFamily } from '@vuka/chains';
import { BootError } from '@vuka/runtime';

import { accountOf, readAddressList } from '../addresses/index.js';

/** Says whose money is not paid out before a person has looked. */
export interface Screening {
  /** Whether one of the senders of a transfer is such; rejects where it cannot be told now. */
  isHit(chain: string, senders: readonly string[]): Promise<boolean>;
}

/** Screening. */
export const SCREENING = Symbol('SCREENING');

/** In the sandbox: money that the tenth account of every development node sends is held for review. */
export const SANDBOX_SCREENED = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720';

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** A list that is read once, at the start; the letter case of EVM addresses does not matter. */
export class ListScreening implements Screening {
  private readonly addresses: ReadonlySet<string>;

  public constructor(addresses: readonly string[]) {
    this.addresses = new Set(addresses.map(comparable));
  }

  public async isHit(_chain: string, senders: readonly string[]): Promise<boolean> {
    return senders.some((sender) => this.addresses.has(comparable(sender)));
  }
}

function comparable(address: string): string {
  return EVM_ADDRESS.test(address) ? address.toLowerCase() : accountOf(address);
}

/** SCREENING_FILE: a JSON array of addresses of any family. Throws BootError: to pay on an unread list would be to pay on none. */
export async function loadScreening(path: string | undefined, env: 'sandbox' | 'live'): Promise<Screening> {
  if (path === undefined) return new ListScreening(env === 'sandbox' ? [SANDBOX_SCREENED] : []);
  const addresses = await readAddressList('SCREENING_FILE', path);
  if (!Array.isArray(addresses) || !addresses.every(isAddress)) {
    throw new BootError(
      `SCREENING_FILE ${path} is no JSON array of addresses.`,
      'An array of texts: 0x and 40 hexadecimal digits, the owner in base58 (Solana), or G… or M… (Stellar).',
    );
  }
  return new ListScreening(addresses);
}

function isAddress(entry: unknown): entry is string {
  if (typeof entry !== 'string') return false;
  const family = addressFamily(entry);
  return family === 'evm' ? EVM_ADDRESS.test(entry) : family !== null;
}
