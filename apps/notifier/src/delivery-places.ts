/**
 * Who may have how many POSTs under way. What bounds what:
 * - `inFlight` bounds memory and sockets: each place holds one body, whatever is due.
 * - `firstOfHost` to `perHost` bounds what one host takes. One that nothing is known of begins with few and gets one more for each answer, so that many dead
 *   hosts at once keep few places before anything is known of them; a failure puts it back.
 * - `slow` bounds what all slow hosts take together, each of them still up to `perHost`: however many receivers answer in 2.9 s or not at all, three quarters
 *   of the places go on being handed around among the quick.
 * - `perPartner` bounds what one partner takes with however many hosts.
 * Within these, lanes are served in turn (store/delivery-lanes.migration.ts), so partners share a host's places as they share all.
 */
export interface DeliveryLimits {
  /** POSTs under way or waiting for their outcome to be recorded. */
  readonly inFlight: number;
  readonly perHost: number;
  readonly firstOfHost: number;
  /** Held always, so that nobody who comes later has to wait for places to be given back. */
  readonly perPartner: number;
  readonly slow: number;
  /** A host is slow from this average on, milliseconds. */
  readonly slowMs: number;
  /** Lanes that a claim serves: each costs a look into every month of deliveries. */
  readonly lanes: number;
  /** Longer than a POST and its recording take; after a crash this is how long a delivery waits to be claimed again. */
  readonly leaseMs: number;
}

export const DELIVERY_LIMITS: DeliveryLimits = {
  inFlight: 256, perHost: 32, firstOfHost: 8, perPartner: 128, slow: 64, slowMs: 500, lanes: 64, leaseMs: 10_000,
}; // prettier-ignore

/** Whose place it is. */
export interface PlaceOf {
  readonly partnerId: number;
  readonly host: string;
}

/** What a claim may take, as `claim_deliveries` wants it. */
export interface FreePlaces {
  readonly limit: number;
  /** Of a host that is not in `freeByHost`. */
  readonly perHost: number;
  readonly freeByHost: ReadonlyMap<string, number>;
  /** Of a partner that is not in `freeByPartner`. */
  readonly perPartner: number;
  readonly freeByPartner: ReadonlyMap<number, number>;
  readonly slowHosts: readonly string[];
  /** Of all slow hosts together. */
  readonly slowFree: number;
}

interface KnownHost {
  readonly places: number;
  readonly averageMs: number;
}

/** Hosts that something is remembered of; of the others the places that are taken alone. */
const MOST_KNOWN = 1_000;
const WEIGHT_OF_LAST = 0.25;

/** Counts the places taken, and learns from each outcome how many its host may have. */
export class DeliveryPlaces {
  private taken = 0;
  private readonly takenByHost = new Map<string, number>();
  private readonly takenByPartner = new Map<number, number>();
  /** The one longest unheard of is first. */
  private readonly known = new Map<string, KnownHost>();
  private readonly slowHosts = new Set<string>();

  public constructor(private readonly limits: DeliveryLimits) {}

  public get free(): number {
    return this.limits.inFlight - this.taken;
  }

  public take({ host, partnerId }: PlaceOf): void {
    this.taken += 1;
    add(this.takenByHost, host, 1);
    add(this.takenByPartner, partnerId, 1);
  }

  public giveBack({ host, partnerId }: PlaceOf): void {
    this.taken -= 1;
    add(this.takenByHost, host, -1);
    add(this.takenByPartner, partnerId, -1);
  }

  /** `isAnswered`: the host was there, whatever it said. */
  public learn(host: string, isAnswered: boolean, durationMs: number): void {
    const before = this.known.get(host);
    const averageMs = before === undefined ? durationMs : before.averageMs * (1 - WEIGHT_OF_LAST) + durationMs * WEIGHT_OF_LAST;
    const places = isAnswered ? Math.min(this.limits.perHost, (before?.places ?? this.first) + 1) : this.first;
    this.known.delete(host);
    this.known.set(host, { places, averageMs });
    if (averageMs >= this.limits.slowMs) this.slowHosts.add(host);
    else this.slowHosts.delete(host);
    const [oldest] = this.known.keys();
    if (this.known.size <= MOST_KNOWN || oldest === undefined) return;
    this.known.delete(oldest);
    this.slowHosts.delete(oldest);
  }

  public offer(): FreePlaces {
    const { perPartner, slow } = this.limits;
    let slowTaken = 0;
    for (const [host, taken] of this.takenByHost) if (this.slowHosts.has(host)) slowTaken += taken;
    return {
      limit: this.free,
      perHost: this.first,
      freeByHost: new Map([...this.takenByHost].map(([host, taken]) => [host, Math.max(0, (this.known.get(host)?.places ?? this.first) - taken)])),
      perPartner,
      freeByPartner: new Map([...this.takenByPartner].map(([partner, taken]) => [partner, Math.max(0, perPartner - taken)])),
      slowHosts: [...this.slowHosts],
      slowFree: Math.max(0, slow - slowTaken),
    };
  }

  private get first(): number {
    return Math.min(this.limits.firstOfHost, this.limits.perHost);
  }
}

function add<K>(counts: Map<K, number>, key: K, change: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
