import { Inject, Injectable } from '@nestjs/common';

import { DELIVERY_LIMITS_IN_FORCE } from './delivery-tokens.js';

/**
 * Who may have how many POSTs under way. What bounds what:
 * - `inFlight` bounds memory and sockets: each place holds one body, whatever is due.
 * - `perHost` bounds what one host is given, of all its partners together.
 * - A delivery queue (a partner's receivers at a host) begins with `firstOfDeliveryQueue` places and gets one more for each answer, so that many dead receivers at once keep few
 *   places before anything is known of them; a failure puts it back.
 * - `slow` bounds what all slow delivery queues take together: however many receivers answer in 2.9 s or not at all, three quarters of the places go on being handed
 *   around among the quick. And the slow of one host leave half of it to the quick.
 * - `perPartner` bounds what one partner takes with however many hosts. And a partner that has as many as are free gets no more, of all and of the slow: two
 *   leave a third of them to who comes later, ten an eleventh. Nobody waits for what others' dead receivers hold.
 * Within these, delivery queues are served in turn (store/functions/claim-deliveries.sql), so partners share a host's places as they share all. What is learned is learned
 * of a delivery queue and never of a host: no partner makes another's receivers slow.
 */
export interface DeliveryLimits {
  /** POSTs under way or waiting for their outcome to be recorded. */
  readonly inFlight: number;
  readonly perHost: number;
  readonly firstOfDeliveryQueue: number;
  /** Held always, so that nobody who comes later has to wait for places to be given back. */
  readonly perPartner: number;
  readonly slow: number;
  /** A delivery queue is slow from this average on, milliseconds. */
  readonly slowMs: number;
  /** Lanes that a claim serves: each costs a look into every month of deliveries. */
  readonly deliveryQueues: number;
  /** Longer than a POST and its recording take; after a crash this is how long a delivery waits to be claimed again. */
  readonly leaseMs: number;
}

export const DELIVERY_LIMITS: DeliveryLimits = {
  inFlight: 256, perHost: 32, firstOfDeliveryQueue: 8, perPartner: 128, slow: 64, slowMs: 500, deliveryQueues: 64, leaseMs: 10_000,
}; // prettier-ignore

/** Whose place it is. */
export interface PlaceOf {
  readonly partnerId: number;
  readonly host: string;
}

/** As `claim_deliveries` names a delivery queue. */
export function deliveryQueueKey({ partnerId, host }: PlaceOf): string {
  return `${partnerId} ${host}`;
}

/** What a claim may take, as `claim_deliveries` wants it. */
export interface FreePlaces {
  readonly limit: number;
  /** Of a delivery queue that is not in `freeByDeliveryQueue`. */
  readonly perDeliveryQueue: number;
  /** By deliveryQueueKey(). */
  readonly freeByDeliveryQueue: ReadonlyMap<string, number>;
  /** Of a host that is not in `freeByHost`. */
  readonly perHost: number;
  readonly freeByHost: ReadonlyMap<string, number>;
  /** Of a partner that is not in `freeByPartner`. */
  readonly perPartner: number;
  readonly freeByPartner: ReadonlyMap<number, number>;
  /** By deliveryQueueKey(). */
  readonly slowDeliveryQueues: readonly string[];
  /** Of all slow delivery queues together. */
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

/** Lanes that something is remembered of; of the others the places that are taken alone. */
const MOST_KNOWN = 1_000;
const WEIGHT_OF_LAST = 0.25;

/** Counts the places taken, and learns from each outcome how many its delivery queue may have. */
@Injectable()
export class DeliveryPlaces {
  private taken = 0;
  private readonly takenByDeliveryQueue = new Map<string, number>();
  private readonly takenByHost = new Map<string, number>();
  private readonly takenByPartner = new Map<number, number>();
  /** The one longest unheard of is first. */
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

  /** `isAnswered`: the receiver was there, whatever it said. */
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

/** How many more who has `taken` may have of those that are free, so that as many stay free as it has then. */
function shareOf(free: number, taken: number): number {
  return Math.max(0, Math.ceil((free - taken) / 2));
}

function add<K>(counts: Map<K, number>, key: K, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
