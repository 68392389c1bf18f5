import { Inject, Injectable } from '@nestjs/common';
import type { Chain, ChainFamily } from '@vuka/domain';
import { Database } from '@vuka/persistence';

import { WatchedAddressStore, type WatchedOrder, type WatchPlace } from './watched-address.store.js';

/** An order is on time until so long after its end: until a chain is past that, it is looked at often. */
const ON_TIME_MS = 30_000;
/**
 * So long past the end of its watch, by the chain's time, an order's address is still looked for with every page. By our own clock it is one of those that are over from that end on, so that
 * each block has it in one scan or the other, whichever of the two is ahead, unless blocks are made an hour before their time.
 */
export const WATCH_OVERLAP_MS = 3_600_000;
const AT_ONCE = 2_000;

/** One account of Stellar is looked through for everybody at once. */
export const hasClosedScan = (family: ChainFamily): boolean => family !== 'stellar';

const from = (ms: number): WatchPlace => ({ watchUntilText: new Date(ms).toISOString(), orderNumber: '0' });

interface OpenOrders {
  readonly byAddress: Map<string, WatchedOrder>;
  /** All that are watched beyond this are here. */
  since: number;
  horizon: string;
  /** Beyond which each chain has asked last. */
  readonly asked: Map<string, number>;
}

interface ClosedOrders {
  readonly addresses: string[];
  last: WatchPlace;
}

/**
 * Addresses that the scans look for. A process reads them once and then what has been committed since: each answer has all that were committed before it was asked
 * for, and costs what is new, however many there are.
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

  /** Of partners, and of orders whose watch had not ended where the chain was looked through to; on Stellar, where all are numbers of one account, of all orders. */
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

  /** Of orders whose watch is over. Nobody is waiting for them: they are kept until `forgetClosed`. */
  public async ofClosedOrders(family: ChainFamily, now: Date): Promise<readonly string[]> {
    const known = this.closed.get(family) ?? { addresses: [], last: from(0) };
    this.closed.set(family, known);
    for (;;) {
      const { last } = known;
      // A watch ends a day after it was committed: none comes late to where others have ended already.
      const found = await this.read(family, last, now);
      // Another chain of the family has read on meanwhile.
      if (known.last !== last) continue;
      for (const { address } of found) known.addresses.push(address);
      known.last = found.at(-1) ?? last;
      return known.addresses.slice();
    }
  }

  public forgetClosed(family: ChainFamily): void {
    this.closed.delete(family);
  }

  /** Whether somebody waits for what comes to a chain that was looked through to `scannedTo`, as far as was known when it was last asked for. */
  public isAwaited({ name, family }: Chain, scannedTo: Date | null): boolean {
    const past = (scannedTo?.getTime() ?? 0) - ON_TIME_MS;
    for (const { chain, expiresAt } of this.open.get(family)?.byAddress.values() ?? [])
      if (chain === name && expiresAt.getTime() >= past) return true;
    return false;
  }

  /** Read anew where there are more of them than were known: none is ever taken away. */
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

  /** What no chain of the family looks for any more. One that is behind keeps it for itself. */
  private forgetEnded(orders: OpenOrders, chain: string, since: number): void {
    orders.asked.set(chain, since);
    const least = Math.min(...orders.asked.values());
    if (least <= orders.since) return;
    for (const [address, { watchUntil }] of orders.byAddress)
      if (watchUntil.getTime() <= least) orders.byAddress.delete(address);
    orders.since = least;
  }
}
