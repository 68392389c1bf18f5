import { createHash } from 'node:crypto';

import { fail, ok, type Chain, type Problem, type Result } from '@vuka/domain';
import { BootError, type Clock, type Logger } from '@vuka/platform';

import type { AddressStore, StoredAddress } from './store/address.store.js';

/** How the addresses of an account follow from its public key. */
export interface Derivation {
  /** Throws where the text is no such key; the message begins `must be` and never repeats the text. */
  assertXpub(xpub: string): void;
  deriveEvmAddress(xpub: string, index: number): string;
}

export interface DepositAddress {
  readonly address: string;
  /** Since when it is this partner's. */
  readonly since: Date;
}

export interface DepositAddressesParts {
  readonly store: AddressStore;
  readonly xpub: string;
  readonly derivation: Derivation;
  /** Names of the chains that are read here. */
  readonly served: ReadonlySet<string>;
  readonly clock: Clock;
  readonly log: Logger;
}

const FAMILY = 'evm';
/** Derived addresses that are remembered: each costs a millisecond. */
const MOST_REMEMBERED = 10_000;
const UNUSABLE: Problem = { code: 'service_unavailable', message: 'The settlement address cannot be given at the moment' };

/**
 * One permanent address per partner, the same on all EVM chains (decisions.md section 2), made when it is first asked for. What is stored is
 * derived again whenever it is read: whoever could write the table must not be able to lead deposits elsewhere.
 */
export class DepositAddresses {
  private readonly xpubId: string;
  private readonly derived = new Map<number, string>();

  public constructor(private readonly parts: DepositAddressesParts) {
    this.xpubId = createHash('sha256').update(parts.xpub).digest('hex').slice(0, 16);
  }

  /** Throws BootError where the key is none, or addresses came from another one: what goes there would not be found. */
  public async check(): Promise<void> {
    const { xpub, derivation } = this.parts;
    try {
      derivation.assertXpub(xpub);
    } catch (error) {
      throw new BootError(`DEPOSIT_XPUB ${(error as Error).message}`, 'npm run keys makes one; docs/operations.md says how.', { cause: error });
    }
    if (await this.parts.store.hasOtherKeys(this.xpubId)) {
      throw new BootError('DEPOSIT_XPUB is not the key that deposit addresses were given from.', 'Set the one it was: an address that a partner has stays its address for ever.');
    }
  }

  /** Error: service_unavailable, where what is stored is not what was derived; that is an alarm. */
  public async ofPartner(partnerId: number): Promise<Result<DepositAddress>> {
    const { store, clock, log } = this.parts;
    let stored = await store.ofPartner(partnerId, FAMILY);
    if (stored === undefined) {
      const index = await store.nextIndex();
      await store.insertUnlessPresent(partnerId, FAMILY, { address: this.derive(index), index, xpubId: this.xpubId, createdAt: clock.now() });
      stored = await store.ofPartner(partnerId, FAMILY);
    }
    if (stored === undefined) throw new Error(`The deposit address of partner ${partnerId} is gone right after it was stored`);
    if (this.isTrue(stored)) return ok({ address: stored.address, since: stored.createdAt });
    log.error({ code: 'deposit_address_differs', partner_id: partnerId, derivation_index: stored.index }, 'a stored deposit address is not the derived one; it is not given to anybody');
    return fail(UNUSABLE);
  }

  /** Where a partner's deposits on a chain go. Error: service_unavailable, also where the chain is not read here. */
  public async addressOf(partnerId: number, { name }: Pick<Chain, 'name'>): Promise<Result<string>> {
    if (!this.parts.served.has(name)) return fail({ code: 'service_unavailable', message: `${name} is not served at the moment` });
    const found = await this.ofPartner(partnerId);
    return found.ok ? ok(found.value.address) : found;
  }

  private isTrue({ address, index, xpubId }: StoredAddress): boolean {
    return xpubId === this.xpubId && address === this.derive(index);
  }

  private derive(index: number): string {
    const known = this.derived.get(index);
    if (known !== undefined) return known;
    const address = this.parts.derivation.deriveEvmAddress(this.parts.xpub, index);
    if (this.derived.size >= MOST_REMEMBERED) this.derived.clear();
    this.derived.set(index, address);
    return address;
  }
}
