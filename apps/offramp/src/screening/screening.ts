import { addressFamily } from '@vuka/chains';
import { BootError } from '@vuka/runtime';

import { accountOf, readAddressList } from '../addresses/index.js';

/** Value from a listed sender needs a person's approval. */
export interface Screening {
  /** Rejects if it cannot answer now. */
  isHit(chain: string, senders: readonly string[]): Promise<boolean>;
}

/** Screening. */
export const SCREENING = Symbol('SCREENING');

/** Tenth account of development nodes: lets sandbox users try a review. */
export const SANDBOX_SCREENED = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720';

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Ignores upper and lower case of EVM addresses. */
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

/** SCREENING_FILE: a JSON array of addresses. Throws BootError, as an unread list would be no list. */
export async function loadScreening(path: string | undefined, env: 'sandbox' | 'live'): Promise<Screening> {
  if (path === undefined) return new ListScreening(env === 'sandbox' ? [SANDBOX_SCREENED] : []);
  const addresses = await readAddressList('SCREENING_FILE', path);
  if (!Array.isArray(addresses) || !addresses.every(isAddress)) {
    throw new BootError(
      `SCREENING_FILE ${path} is not a JSON array of addresses.`,
      'Each entry must be 0x and 40 hexadecimal digits (EVM), an owner in base58 (Solana), or G… or M… (Stellar).',
    );
  }
  return new ListScreening(addresses);
}

function isAddress(entry: unknown): entry is string {
  if (typeof entry !== 'string') return false;
  const family = addressFamily(entry);
  return family === 'evm' ? EVM_ADDRESS.test(entry) : family !== null;
}
