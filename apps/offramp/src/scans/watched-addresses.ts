import { Inject, Injectable } from '@nestjs/common';
import type { Chain, ChainFamily } from '@vuka/domain';
import { Database } from '@vuka/persistence';

import { WatchedAddressStore, type WatchedOrder, type WatchPlace } from './watched-address.store.js';

/** Grace after an order's end: until the chain is past it, scans are frequent. */
const ON_TIME_MS = 30_000;
/**
 * Every page covers an order's address until this long after the end of its watch, by block time. The closed scan
 * covers it from the end of the watch, by our clock. So one of the scans has each block, unless a block is made an hour
 * early.
 */
export const WATCH_OVERLAP_MS = 3_600_000;
const AT_ONCE = 2_000;

/** All Stellar deposits come to one account, so one scan covers them. */
export const hasClosedScan = (family: ChainFamily): boolean => family !== 'stellar';

const from = (ms: number): WatchPlace => ({ watchUntilText: new Date(ms).toISOString(), orderNumber: '0' });

interface OpenOrders {
  readonly byAddress: Map<string, WatchedOrder>;
  /** Holds all watches that end after this. */
  since: number;
  horizon: string;
  /** `since` of each chain's last request. */
  readonly asked: Map<string, number>;
}

interface ClosedOrders {
  readonly addresses: string[];
  last: WatchPlace;
}

/**
 * Reads all addresses once, then only what was committed since. An answer has every address that was committed before
 * the request.
 */
@Injectable()
export class WatchedAddresses {
  private readonly store: WatchedAddressStore;
  private readonly partners = new Map<ChainFamily, readonly string[]>();
  private readonly open = new Map<ChainFamily, OpenOrders>();
  private readonly closed = new Map<ChainFamily, ClosedOrders>();

  public constructor(@Inject(Database) db: Pick<Database, 'query'>) {
    this.store = new WatchedAddressStore(db);
  }

  /** Partners, and orders whose watch had not ended at `scannedTo`. On Stellar all orders. */
  public async ofEveryPage({ name, family }: Chain, scannedTo: Date | null): Promise<readonly string[]> {
    const since =
      scannedTo === null || !hasClosedScan(family) ? 0 : Math.max(0, scannedTo.getTime() - WATCH_OVERLAP_MS);
    const [partners, orders] = await Promise.all([this.ofPartners(family), this.openOrders(family, since)]);
    this.forgetEnded(orders, name, since);
    return [
      ...partners,
      ...[...orders.byAddress.values()]
        .filter(({ watchUntil }) => watchUntil.getTime() > since)
        .map(({ address }) => address),
    ];
  }

  /** Nobody waits for these: the list is cached until `forgetClosed`. */
  public async ofClosedOrders(family: ChainFamily, now: Date): Promise<readonly string[]> {
    const known = this.closed.get(family) ?? { addresses: [], last: from(0) };
    this.closed.set(family, known);
    for (;;) {
      const { last } = known;
      // A watch ends a day after its commit, so no row can appear behind the position.
      const found = await this.read(family, last, now);
      // Another chain of the family has read meanwhile.
      if (known.last !== last) continue;
      for (const { address } of found) known.addresses.push(address);
      known.last = found.at(-1) ?? last;
      return known.addresses.slice();
    }
  }

  public forgetClosed(family: ChainFamily): void {
    this.closed.delete(family);
  }

  /** Whether a payment is awaited on a chain scanned to `scannedTo`, by the last read. */
  public isAwaited({ name, family }: Chain, scannedTo: Date | null): boolean {
    const past = (scannedTo?.getTime() ?? 0) - ON_TIME_MS;
    for (const { chain, expiresAt } of this.open.get(family)?.byAddress.values() ?? [])
      if (chain === name && expiresAt.getTime() >= past) return true;
    return false;
  }

  /** Partner addresses are never removed, so the count shows whether to read again. */
  private async ofPartners(family: ChainFamily): Promise<readonly string[]> {
    const known = this.partners.get(family);
    if (known !== undefined && known.length === (await this.store.countOfPartners(family))) return known;
    const all = await this.store.ofPartners(family);
    this.partners.set(family, all);
    return all;
  }

  private async openOrders(family: ChainFamily, since: number): Promise<OpenOrders> {
    const known = this.open.get(family);
    if (known === undefined || since < known.since) return this.openAnew(family, since);
    const { orders, horizon } = await this.store.ordersSince(family, known.horizon, AT_ONCE);
    for (const order of orders) if (order.watchUntil.getTime() > known.since) known.byAddress.set(order.address, order);
    known.horizon = horizon;
    return known;
  }

  private async openAnew(family: ChainFamily, since: number): Promise<OpenOrders> {
    await this.store.adopt(family);
    const horizon = await this.store.horizon();
    const orders = await this.read(family, from(since), null);
    const anew: OpenOrders = {
      byAddress: new Map(orders.map((order) => [order.address, order])),
      since,
      horizon,
      asked: new Map(),
    };
    this.open.set(family, anew);
    return anew;
  }

  private async read(family: ChainFamily, first: WatchPlace, until: Date | null): Promise<WatchedOrder[]> {
    const orders: WatchedOrder[] = [];
    for (let since = first; ;) {
      const some = await this.store.ordersWatched(family, { since, until, limit: AT_ONCE });
      orders.push(...some);
      const last = some.at(-1);
      if (last === undefined || some.length < AT_ONCE) return orders;
      since = last;
    }
  }

  /** Forgets watches that no chain of the family needs. A slow chain keeps them for all. */
  private forgetEnded(orders: OpenOrders, chain: string, since: number): void {
    orders.asked.set(chain, since);
    const least = Math.min(...orders.asked.values());
    if (least <= orders.since) return;
    for (const [address, { watchUntil }] of orders.byAddress)
      if (watchUntil.getTime() <= least) orders.byAddress.delete(address);
    orders.since = least;
  }
}
