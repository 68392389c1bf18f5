import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { readStellarAddress } from '@vuka/chains';
import { fail, ok, type Chain, type ChainFamily, type Problem, type Result } from '@vuka/domain';
import { Database, type Transaction } from '@vuka/persistence';
import { BootError, type Clock, type Logger } from '@vuka/runtime';

import { CLOCK, LOGGER } from '@vuka/service-host';

import { SERVED_CHAIN_NAMES } from '../chains/index.js';
import { ADDRESS_SOURCES, type AddressSource, type AddressSources } from './address-sources.js';
import { AddressStore, type StoredAddress } from './address.store.js';

export interface DepositAddress {
  readonly address: string;
  readonly since: Date;
}

/** Memo fields: '' if not needed. */
export interface SettlementAddress {
  readonly address: string;
  readonly memoAddress: string;
  readonly memo: string;
}

/** Fewer raise an alarm, and orders get none. */
const FEW_LEFT = 50;
const PAGE = 1_000;
const UNUSABLE: Problem = {
  code: 'service_unavailable',
  message: 'The settlement address cannot be given at the moment',
};

/**
 * One permanent address per partner and family (decisions.md section 2). It is derived again at every read, so that
 * whoever can write the table cannot redirect deposits.
 */
@Injectable()
export class DepositAddresses implements OnModuleInit {
  private readonly exhausted = new Set<ChainFamily>();
  /** Lists grow only at a restart. */
  private readonly keptForPartners = new Set<ChainFamily>();

  private readonly store: AddressStore;

  public constructor(
    @Inject(Database) private readonly db: Pick<Database, 'query' | 'inTransaction'>,
    @Inject(ADDRESS_SOURCES) private readonly sources: AddressSources,
    @Inject(SERVED_CHAIN_NAMES) private readonly served: ReadonlySet<string>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.store = new AddressStore(db);
  }

  public onModuleInit(): Promise<void> {
    return this.check();
  }

  /** Throws BootError if the source has changed: deposits would not be found. */
  public async check(): Promise<void> {
    for (const source of this.sources.values()) {
      if (await this.store.hasOtherKeys(source.family, source.keyId)) {
        throw new BootError(
          `${source.variable} has changed: earlier deposit addresses came from another value.`,
          'Set the earlier value again: a partner keeps its address for ever.',
        );
      }
      if (source.size !== null) await this.checkList(source);
    }
  }

  /** service_unavailable and an alarm: the stored address differs from the source, or none is left. */
  public async ofPartner(partnerId: number, family: ChainFamily): Promise<Result<DepositAddress>> {
    const { sources, log } = this;
    const source = sources.get(family);
    if (source === undefined) return fail(UNUSABLE);
    let stored = await this.store.ofPartner(partnerId, family);
    if (stored === undefined) {
      if (!(await this.give(partnerId, source))) return fail(UNUSABLE);
      stored = await this.store.ofPartner(partnerId, family);
    }
    if (stored === undefined)
      throw new Error(`The deposit address of partner ${partnerId} is gone right after it was stored`);
    if (isTrue(stored, source)) return ok({ address: stored.address, since: stored.createdAt });
    log.error(
      { code: 'deposit_address_differs', partner_id: partnerId, family, derivation_index: stored.index },
      'a stored deposit address differs from the derived one: nobody gets it',
    );
    return fail(UNUSABLE);
  }

  /** service_unavailable and an alarm: the stored address differs from the source. */
  public async ofOrder(orderNumber: number, family: ChainFamily): Promise<Result<DepositAddress>> {
    const { sources, log } = this;
    const source = sources.get(family);
    if (source === undefined) return fail(UNUSABLE);
    const stored = await this.store.ofOrder(orderNumber);
    if (stored !== undefined && isTrue(stored, source)) return ok({ address: stored.address, since: stored.createdAt });
    log.error(
      { code: 'deposit_address_differs', order_number: orderNumber, family, derivation_index: stored?.index ?? null },
      'a stored deposit address differs from the derived one: nobody gets it',
    );
    return fail(UNUSABLE);
  }

  /** In the caller's transaction. service_unavailable and an alarm: none is left for orders. */
  public async drawForOrder(tx: Transaction, partnerId: number, family: ChainFamily): Promise<Result<string>> {
    const { sources, clock } = this;
    const source = sources.get(family);
    if (source === undefined || this.exhausted.has(family) || !(await this.hasForOrders(tx, source)))
      return fail(UNUSABLE);
    const store = new AddressStore(tx);
    const index = await store.nextIndex(family);
    const address = source.addressAt(index);
    if (address === undefined) {
      this.noteExhausted(source);
      return fail(UNUSABLE);
    }
    await store.insertForOrder(partnerId, family, { address, index, keyId: source.keyId, createdAt: clock.now() });
    this.warnOfEnd(source, index + 1);
    return ok(address);
  }

  /** service_unavailable: also if the chain is not served. */
  public async addressOf(
    partnerId: number,
    { name, family }: Pick<Chain, 'name' | 'family'>,
  ): Promise<Result<SettlementAddress>> {
    if (!this.served.has(name))
      return fail({ code: 'service_unavailable', message: `${name} is not served at the moment` });
    const found = await this.ofPartner(partnerId, family);
    return found.ok ? ok(settlementOf(found.value.address)) : found;
  }

  /** false: none is left. */
  private async give(partnerId: number, source: AddressSource): Promise<boolean> {
    const { db, clock } = this;
    const { family, keyId } = source;
    // Do not waste an index on asking again.
    if (this.exhausted.has(family)) return false;
    const given = await db.inTransaction(async (tx) => {
      const store = new AddressStore(tx);
      await AddressStore.lockToGive(tx, partnerId, family);
      // Under the lock, because lists are short.
      if ((await store.ofPartner(partnerId, family)) !== undefined) return 'before';
      const index = await store.nextIndex(family);
      const address = source.addressAt(index);
      if (address === undefined) return 'exhausted';
      await store.insertUnlessPresent(partnerId, family, { address, index, keyId, createdAt: clock.now() });
      return index;
    });
    if (given === 'exhausted') {
      this.noteExhausted(source);
      return false;
    }
    if (given !== 'before') this.warnOfEnd(source, given + 1);
    return true;
  }

  /** Peeks instead of drawing, because lists are short. */
  private async hasForOrders(tx: Transaction, source: AddressSource): Promise<boolean> {
    const { family, size } = source;
    if (size === null) return true;
    if (this.keptForPartners.has(family)) return false;
    await AddressStore.lockToDraw(tx, family);
    const left = size - (await new AddressStore(tx).indexToCome(family));
    if (left > FEW_LEFT) return true;
    // Another call may have logged it.
    if (this.exhausted.has(family) || this.keptForPartners.has(family)) return false;
    if (left <= 0) this.noteExhausted(source);
    else {
      this.keptForPartners.add(family);
      this.log.error(
        { code: 'deposit_addresses_run_out', family, left },
        'few deposit addresses are left, only for partners: orders get none until the list grows',
      );
    }
    return false;
  }

  private noteExhausted({ family, size }: AddressSource): void {
    this.exhausted.add(family);
    this.log.error(
      { code: 'deposit_addresses_exhausted', family, addresses: size },
      'no deposit address is left: orders and new partners get none',
    );
  }

  private async checkList(source: AddressSource): Promise<void> {
    let last = -1;
    for (;;) {
      const page = await this.store.given(source.family, last, PAGE);
      const changed = page.find(({ index, address }) => source.addressAt(index) !== address);
      if (changed !== undefined) {
        throw new BootError(
          `${source.variable}: entry ${changed.index + 1} differs from the address that a partner got from it.`,
          'Restore the earlier list: entries may only be added at its end.',
        );
      }
      last = page.at(-1)?.index ?? last;
      if (page.length < PAGE) break;
    }
    this.warnOfEnd(source, last + 1);
  }

  private warnOfEnd({ family, size }: AddressSource, given: number): void {
    if (size === null || size - given >= FEW_LEFT) return;
    this.log.error(
      { code: 'deposit_addresses_run_out', family, left: size - given },
      'few deposit addresses are left: add addresses to the list',
    );
  }
}

function isTrue({ address, index, keyId }: StoredAddress, source: AddressSource): boolean {
  return keyId === source.keyId && address === source.addressAt(index);
}

/** Account and memo are for wallets without muxed addresses. */
export function settlementOf(address: string): SettlementAddress {
  const stellar = readStellarAddress(address);
  if (!stellar.ok || stellar.value.id === null) return { address, memoAddress: '', memo: '' };
  return { address, memoAddress: stellar.value.account, memo: stellar.value.id.toString() };
}
