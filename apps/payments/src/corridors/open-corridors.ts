import { Inject, Injectable } from '@nestjs/common';
import type { Clock, MonotonicClock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { CachedRead } from './cached-read.js';
import { type CorridorScope, covers, type PaidBy, type ProviderCorridor } from './corridor.js';
import { type CorridorNotice, CorridorStateStore, type IllCorridor } from './corridor-state.store.js';
import { CorridorSwitchStore } from './corridor-switch.store.js';
import { WakeCorridor } from './wake-corridor.js';

/** Where another provider pays, one payment in this time tries an ill one. */
const PROBE_EVERY_MS = 10_000;
/** Where none does. */
const TRICKLE_EVERY_MS = 1_000;

interface Known {
  readonly switches: readonly CorridorScope[];
  readonly notices: readonly CorridorNotice[];
  readonly ill: readonly IllCorridor[];
}

interface Provider {
  readonly id: string;
}

/** Which providers a new attempt may take now, and which it should. */
@Injectable()
export class OpenCorridors {
  private readonly known: CachedRead<Known>;

  constructor(
    private readonly switches: CorridorSwitchStore,
    private readonly states: CorridorStateStore,
    private readonly waiting: WakeCorridor,
    @Inject(CLOCK) private readonly clock: Clock & MonotonicClock,
  ) {
    this.known = new CachedRead(() => this.read(), clock);
  }

  /**
   * Without those that people switched off, and those that say that they are closed. The cache lets most payments
   * pass. What is closed is confirmed from the database, because opening it would not wake a payment that begins to
   * wait afterwards.
   */
  async among<T extends Provider>(providers: readonly T[], by: PaidBy): Promise<T[]> {
    const open = openAmong(providers, by, await this.known.get());
    return open.length === providers.length ? open : openAmong(providers, by, await this.known.now());
  }

  /** Those of them that pay as ever. */
  async wellAmong<T extends Provider>(open: readonly T[], by: PaidBy): Promise<T[]> {
    const known = await this.known.get();
    return open.filter(({ id }) => rankOf({ provider: id, ...by }, known) !== 'ill');
  }

  /**
   * Of open ones, first choice first. A slow or ill one comes after its equals, and now and then a payment tries an ill
   * one again. null: only ill ones are left, and others try them now.
   */
  async choose<T extends Provider>(
    open: readonly T[],
    by: PaidBy,
    deferrals: (id: string) => number,
  ): Promise<T | null> {
    const [first] = open;
    if (first === undefined) return null;
    const known = await this.known.get();
    const rank = ({ id }: T): Rank => rankOf({ provider: id, ...by }, known);
    const equals = open.filter(({ id }) => deferrals(id) === deferrals(first.id));
    const best = equals.find((one) => rank(one) === 'open') ?? equals.find((one) => rank(one) === 'slow') ?? null;
    const well = best ?? open.find((one) => rank(one) !== 'ill') ?? null;
    for (const one of equals) {
      if (one === best) break;
      if (rank(one) === 'ill' && (await this.mayProbe({ provider: one.id, ...by }, known, well !== null))) return one;
    }
    return well;
  }

  wake(transactionId: number): Promise<void> {
    return this.waiting.one(transactionId);
  }

  async stateOf(corridor: ProviderCorridor): Promise<CorridorState> {
    return stateOf(corridor, await this.known.get());
  }

  private async mayProbe(corridor: ProviderCorridor, { ill }: Known, isPaidElsewhere: boolean): Promise<boolean> {
    const now = this.clock.now();
    if (ill.some((one) => isSame(one, corridor) && one.probeAt > now)) return false;
    return this.states.takeProbe(corridor, now, isPaidElsewhere ? PROBE_EVERY_MS : TRICKLE_EVERY_MS);
  }

  private async read(): Promise<Known> {
    const [switches, notices, ill] = await Promise.all([
      this.switches.standing(),
      this.states.notices(this.clock.now()),
      this.states.ill(),
    ]);
    return { switches, notices, ill };
  }
}

type Rank = 'open' | 'slow' | 'ill';

/** `closed`: by its own word. */
export interface CorridorState {
  readonly state: Rank | 'closed';
  /** null: open. */
  readonly since: Date | null;
  readonly detail: string;
}

function openAmong<T extends Provider>(providers: readonly T[], by: PaidBy, { switches, notices }: Known): T[] {
  return providers.filter(({ id }) => {
    const corridor = { provider: id, ...by };
    return (
      !switches.some((one) => covers(one, corridor)) &&
      !notices.some((one) => one.state === 'closed' && covers(one, corridor))
    );
  });
}

/** Of one that is not closed. */
function rankOf(corridor: ProviderCorridor, known: Known): Rank {
  if (known.ill.some((one) => isSame(one, corridor))) return 'ill';
  return known.notices.some((one) => covers(one, corridor)) ? 'slow' : 'open';
}

function stateOf(corridor: ProviderCorridor, { notices, ill }: Known): CorridorState {
  const told = notices.filter((one) => covers(one, corridor));
  const closed = told.find(({ state }) => state === 'closed');
  if (closed) return { state: 'closed', since: closed.toldAt, detail: 'the provider says so' };
  const sick = ill.find((one) => isSame(one, corridor));
  if (sick) return { state: 'ill', since: sick.since, detail: sick.detail };
  const [slow] = told;
  if (slow) return { state: 'slow', since: slow.toldAt, detail: 'the provider says so' };
  return { state: 'open', since: null, detail: '' };
}

function isSame(a: ProviderCorridor, b: ProviderCorridor): boolean {
  return a.provider === b.provider && a.currency === b.currency && a.kind === b.kind && a.network === b.network;
}
