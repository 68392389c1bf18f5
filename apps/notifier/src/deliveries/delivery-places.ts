import { Inject, Injectable } from '@nestjs/common';

import { DELIVERY_LIMITS_IN_FORCE } from './delivery-tokens.js';

/**
 * Who may have how many POSTs under way. What bounds what:
 * - `inFlight` bounds memory and sockets: each place holds one body, whatever is due.
 * - `perHost` bounds what one host is given, of all its partners together.
 * - A lane (a partner's receivers at a host) begins with `firstOfLane` places and gets one more for each answer, so that many dead receivers at once keep few
 *   places before anything is known of them; a failure puts it back.
 * - `slow` bounds what all slow lanes take together: however many receivers answer in 2.9 s or not at all, three quarters of the places go on being handed
 *   around among the quick. And the slow of one host leave half of it to the quick.
 * - `perPartner` bounds what one partner takes with however many hosts. And a partner that has as many as are free gets no more, of all and of the slow: two
 *   leave a third of them to who comes later, ten an eleventh. Nobody waits for what others' dead receivers hold.
 * Within these, lanes are served in turn (store/functions/claim-deliveries.sql), so partners share a host's places as they share all. What is learned is learned
 * of a lane and never of a host: no partner makes another's receivers slow.
 */
export interface DeliveryLimits {
  /** POSTs under way or waiting for their outcome to be recorded. */
  readonly inFlight: number;
  readonly perHost: number;
  readonly firstOfLane: number;
  /** Held always, so that nobody who comes later has to wait for places to be given back. */
  readonly perPartner: number;
  readonly slow: number;
  /** A lane is slow from this average on, milliseconds. */
  readonly slowMs: number;
  /** Lanes that a claim serves: each costs a look into every month of deliveries. */
  readonly lanes: number;
  /** Longer than a POST and its recording take; after a crash this is how long a delivery waits to be claimed again. */
  readonly leaseMs: number;
}

export const DELIVERY_LIMITS: DeliveryLimits = {
  inFlight: 256, perHost: 32, firstOfLane: 8, perPartner: 128, slow: 64, slowMs: 500, lanes: 64, leaseMs: 10_000,
}; // prettier-ignore

/** Whose place it is. */
export interface PlaceOf {
  readonly partnerId: number;
  readonly host: string;
}

/** As `claim_deliveries` names a lane. */
export function laneKey({ partnerId, host }: PlaceOf): string {
  return `${partnerId} ${host}`;
}

/** What a claim may take, as `claim_deliveries` wants it. */
export interface FreePlaces {
  readonly limit: number;
  /** Of a lane that is not in `freeByLane`. */
  readonly perLane: number;
  /** By laneKey(). */
  readonly freeByLane: ReadonlyMap<string, number>;
  /** Of a host that is not in `freeByHost`. */
  readonly perHost: number;
  readonly freeByHost: ReadonlyMap<string, number>;
  /** Of a partner that is not in `freeByPartner`. */
  readonly perPartner: number;
  readonly freeByPartner: ReadonlyMap<number, number>;
  /** By laneKey(). */
  readonly slowLanes: readonly string[];
  /** Of all slow lanes together. */
  readonly slowFree: number;
}

interface KnownLane extends PlaceOf {
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

/** Counts the places taken, and learns from each outcome how many its lane may have. */
@Injectable()
export class DeliveryPlaces {
  private taken = 0;
  private readonly takenByLane = new Map<string, number>();
  private readonly takenByHost = new Map<string, number>();
  private readonly takenByPartner = new Map<number, number>();
  /** The one longest unheard of is first. */
  private readonly known = new Map<string, KnownLane>();
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
    const lane = laneKey(place);
    const before = this.known.get(lane);
    const averageMs =
      before === undefined ? durationMs : before.averageMs * (1 - WEIGHT_OF_LAST) + durationMs * WEIGHT_OF_LAST;
    const places = isAnswered ? Math.min(this.limits.perHost, (before?.places ?? this.first) + 1) : this.first;
    this.known.delete(lane);
    this.known.set(lane, { partnerId: place.partnerId, host: place.host, places, averageMs });
    if (averageMs >= this.limits.slowMs) this.slow.add(lane);
    else this.slow.delete(lane);
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
      perLane: this.first,
      freeByLane: new Map(
        [...new Set([...this.takenByLane.keys(), ...this.slow])].map((lane) => [lane, this.freeOf(lane, slow)]),
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
      slowLanes: [...this.slow],
      slowFree: slow.free,
    };
  }

  private slowPlaces(): SlowPlaces {
    const takenByPartner = new Map<number, number>();
    let free = this.limits.slow;
    for (const [lane, taken] of this.takenByLane) {
      const known = this.slow.has(lane) ? this.known.get(lane) : undefined;
      if (known === undefined) continue;
      free -= taken;
      add(takenByPartner, known.partnerId, taken);
    }
    return { free: Math.max(0, free), takenByPartner };
  }

  private freeOf(lane: string, slow: SlowPlaces): number {
    const known = this.known.get(lane);
    const own = (known?.places ?? this.first) - (this.takenByLane.get(lane) ?? 0);
    if (known === undefined || !this.slow.has(lane)) return Math.max(0, own);
    const ofHost = Math.ceil(this.limits.perHost / 2) - (this.takenByHost.get(known.host) ?? 0);
    return Math.max(0, Math.min(own, ofHost, shareOf(slow.free, slow.takenByPartner.get(known.partnerId) ?? 0)));
  }

  private get first(): number {
    return Math.min(this.limits.firstOfLane, this.limits.perHost);
  }

  private count(place: PlaceOf, change: 1 | -1): void {
    this.taken += change;
    add(this.takenByLane, laneKey(place), change);
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
