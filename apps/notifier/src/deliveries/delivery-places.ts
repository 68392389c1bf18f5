import { Inject, Injectable } from '@nestjs/common';

import { DELIVERY_LIMITS_IN_FORCE } from './delivery-tokens.js';

/**
 * Limits of concurrent POSTs:
 * - `inFlight` bounds memory and sockets: one body per place.
 * - `perHost` is for all partners of a host.
 * - A queue (partner and host) starts with `firstOfDeliveryQueue` and gains one per answer; a failure resets it. So
 *   many dead receivers hold few places.
 * - `slow` is for all slow queues together, so three quarters stay for quick ones. Slow queues get half of a host's
 *   places.
 * - `perPartner` is for all hosts of a partner. A partner also gets no more places than stay free: two partners leave
 *   a third, ten an eleventh.
 * Within these, queues are served in turn (store/functions/claim-deliveries.sql). Speed is learned per queue, never
 * per host: no partner slows down another.
 */
export interface DeliveryLimits {
  /** POSTs running or not yet recorded. */
  readonly inFlight: number;
  readonly perHost: number;
  readonly firstOfDeliveryQueue: number;
  /** Leaves places for later partners. */
  readonly perPartner: number;
  readonly slow: number;
  /** Average ms from which a queue is slow. */
  readonly slowMs: number;
  /** Each reads every month of deliveries. */
  readonly deliveryQueues: number;
  /** Longer than a POST and its recording; the delay after a crash. */
  readonly leaseMs: number;
}

export const DELIVERY_LIMITS: DeliveryLimits = {
  inFlight: 256, perHost: 32, firstOfDeliveryQueue: 8, perPartner: 128, slow: 64, slowMs: 500, deliveryQueues: 64, leaseMs: 10_000,
}; // prettier-ignore

export interface PlaceOf {
  readonly partnerId: number;
  readonly host: string;
}

/** Same format as in `claim_deliveries`. */
export function deliveryQueueKey({ partnerId, host }: PlaceOf): string {
  return `${partnerId} ${host}`;
}

/** Input of `claim_deliveries`. */
export interface FreePlaces {
  readonly limit: number;
  /** For queues not in `freeByDeliveryQueue`. */
  readonly perDeliveryQueue: number;
  /** By deliveryQueueKey(). */
  readonly freeByDeliveryQueue: ReadonlyMap<string, number>;
  /** For hosts not in `freeByHost`. */
  readonly perHost: number;
  readonly freeByHost: ReadonlyMap<string, number>;
  /** For partners not in `freeByPartner`. */
  readonly perPartner: number;
  readonly freeByPartner: ReadonlyMap<number, number>;
  /** By deliveryQueueKey(). */
  readonly slowDeliveryQueues: readonly string[];
  readonly slowFree: number;
}

interface KnownDeliveryQueue extends PlaceOf {
  readonly places: number;
  readonly averageMs: number;
}

interface SlowPlaces {
  readonly free: number;
  readonly takenByPartner: ReadonlyMap<number, number>;
}

/** Queues to remember; for others only taken places count. */
const MOST_KNOWN = 1_000;
const WEIGHT_OF_LAST = 0.25;

@Injectable()
export class DeliveryPlaces {
  private taken = 0;
  private readonly takenByDeliveryQueue = new Map<string, number>();
  private readonly takenByHost = new Map<string, number>();
  private readonly takenByPartner = new Map<number, number>();
  /** Least recent first. */
  private readonly known = new Map<string, KnownDeliveryQueue>();
  private readonly slow = new Set<string>();

  constructor(@Inject(DELIVERY_LIMITS_IN_FORCE) readonly limits: DeliveryLimits) {}

  public get free(): number {
    return this.limits.inFlight - this.taken;
  }

  public take(place: PlaceOf): void {
    this.count(place, 1);
  }

  public giveBack(place: PlaceOf): void {
    this.count(place, -1);
  }

  /** `isAnswered`: any answer counts. */
  public learn(place: PlaceOf, isAnswered: boolean, durationMs: number): void {
    const deliveryQueue = deliveryQueueKey(place);
    const before = this.known.get(deliveryQueue);
    const averageMs =
      before === undefined ? durationMs : before.averageMs * (1 - WEIGHT_OF_LAST) + durationMs * WEIGHT_OF_LAST;
    const places = isAnswered ? Math.min(this.limits.perHost, (before?.places ?? this.first) + 1) : this.first;
    this.known.delete(deliveryQueue);
    this.known.set(deliveryQueue, { partnerId: place.partnerId, host: place.host, places, averageMs });
    if (averageMs >= this.limits.slowMs) this.slow.add(deliveryQueue);
    else this.slow.delete(deliveryQueue);
    const [oldest] = this.known.keys();
    if (this.known.size <= MOST_KNOWN || oldest === undefined) return;
    this.known.delete(oldest);
    this.slow.delete(oldest);
  }

  public offer(): FreePlaces {
    const { perHost, perPartner } = this.limits;
    const slow = this.slowPlaces();
    return {
      limit: this.free,
      perDeliveryQueue: this.first,
      freeByDeliveryQueue: new Map(
        [...new Set([...this.takenByDeliveryQueue.keys(), ...this.slow])].map((deliveryQueue) => [
          deliveryQueue,
          this.freeOf(deliveryQueue, slow),
        ]),
      ),
      perHost,
      freeByHost: new Map([...this.takenByHost].map(([host, taken]) => [host, Math.max(0, perHost - taken)])),
      perPartner: Math.min(perPartner, shareOf(this.free, 0)),
      freeByPartner: new Map(
        [...this.takenByPartner].map(([partner, taken]) => [
          partner,
          Math.max(0, Math.min(perPartner - taken, shareOf(this.free, taken))),
        ]),
      ),
      slowDeliveryQueues: [...this.slow],
      slowFree: slow.free,
    };
  }

  private slowPlaces(): SlowPlaces {
    const takenByPartner = new Map<number, number>();
    let free = this.limits.slow;
    for (const [deliveryQueue, taken] of this.takenByDeliveryQueue) {
      const known = this.slow.has(deliveryQueue) ? this.known.get(deliveryQueue) : undefined;
      if (known === undefined) continue;
      free -= taken;
      add(takenByPartner, known.partnerId, taken);
    }
    return { free: Math.max(0, free), takenByPartner };
  }

  private freeOf(deliveryQueue: string, slow: SlowPlaces): number {
    const known = this.known.get(deliveryQueue);
    const own = (known?.places ?? this.first) - (this.takenByDeliveryQueue.get(deliveryQueue) ?? 0);
    if (known === undefined || !this.slow.has(deliveryQueue)) return Math.max(0, own);
    const ofHost = Math.ceil(this.limits.perHost / 2) - (this.takenByHost.get(known.host) ?? 0);
    return Math.max(0, Math.min(own, ofHost, shareOf(slow.free, slow.takenByPartner.get(known.partnerId) ?? 0)));
  }

  private get first(): number {
    return Math.min(this.limits.firstOfDeliveryQueue, this.limits.perHost);
  }

  private count(place: PlaceOf, change: 1 | -1): void {
    this.taken += change;
    add(this.takenByDeliveryQueue, deliveryQueueKey(place), change);
    add(this.takenByHost, place.host, change);
    add(this.takenByPartner, place.partnerId, change);
  }
}

/** As many must stay free as it then has. */
function shareOf(free: number, taken: number): number {
  return Math.max(0, Math.ceil((free - taken) / 2));
}

function add<K>(counts: Map<K, number>, key: K, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
