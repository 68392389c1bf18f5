import { BootError } from '@vuka/platform';

import { readAddressList } from './address-list.js';

/** Says whose money is not paid out before a person has looked. */
export interface Screening {
  /** Whether one of the senders of a transfer is such; rejects where it cannot be told now. */
  isHit(chain: string, senders: readonly string[]): Promise<boolean>;
}

/** In the sandbox: money that the tenth account of every development node sends is held for review. */
export const SANDBOX_SCREENED = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** A list that is read once, at the start; letter case does not matter. */
export class ListScreening implements Screening {
  private readonly addresses: ReadonlySet<string>;

  public constructor(addresses: readonly string[]) {
    this.addresses = new Set(addresses.map((address) => address.toLowerCase()));
  }

  public async isHit(_chain: string, senders: readonly string[]): Promise<boolean> {
    return senders.some((sender) => this.addresses.has(sender.toLowerCase()));
  }
}

/** SCREENING_FILE: a JSON array of EVM addresses. Throws BootError: to pay on an unread list would be to pay on none. */
export async function loadScreening(path: string | undefined, env: 'sandbox' | 'live'): Promise<Screening> {
  if (path === undefined) return new ListScreening(env === 'sandbox' ? [SANDBOX_SCREENED] : []);
  const addresses = await readAddressList('SCREENING_FILE', path);
  if (!Array.isArray(addresses) || !addresses.every((one) => typeof one === 'string' && ADDRESS.test(one))) {
    throw new BootError(`SCREENING_FILE ${path} is no JSON array of addresses.`, 'An array of texts, each 0x and 40 hexadecimal digits.');
  }
  return new ListScreening(addresses as string[]);
}
