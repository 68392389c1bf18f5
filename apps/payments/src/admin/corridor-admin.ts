import { Inject, Injectable } from '@nestjs/common';
import { ok, type Coverage, type Problem, type Result } from '@vuka/domain';
import { COVERAGE } from '@vuka/service-host';

import {
  type CorridorScope,
  type CorridorSwitch,
  CorridorSwitchStore,
  type CorridorWish,
  covers,
  OpenCorridors,
  SwitchCorridors,
} from '../corridors/index.js';
import { timeOf, timeOrNull } from './readers/view-values.js';

/** One provider of one configured route. */
export interface CorridorView {
  readonly provider: string;
  readonly currency: string;
  readonly kind: string;
  readonly network: string | null;
  /** 1: the first choice of its route. */
  readonly choice: number;
  /** `ill`: it fails too many. `slow` and `closed`: it says so. */
  readonly state: 'open' | 'slow' | 'ill' | 'closed';
  readonly state_since: string | null;
  readonly state_detail: string;
  /** Numbers of the switches that stand over it. [] : it is on. */
  readonly switched_off_by: readonly number[];
}

/** null, of `currency`, `kind` and `network`: all of them. */
export interface CorridorSwitchView {
  readonly id: number;
  readonly provider: string;
  readonly currency: string | null;
  readonly kind: string | null;
  readonly network: string | null;
  readonly reason: string;
  readonly off_by: string;
  readonly off_since: string;
  /** null: it is off. */
  readonly lifted_at: string | null;
  readonly lifted_by: string | null;
  readonly lifted_why: string | null;
}

export interface CorridorsView {
  /** In the order of the providers file. [] where no service runs: its routes are not known then. */
  readonly corridors: readonly CorridorView[];
  readonly off: readonly CorridorSwitchView[];
  /** Switched on again, the newest first. */
  readonly before: readonly CorridorSwitchView[];
}

const MOST_BEFORE = 50;

@Injectable()
export class CorridorAdmin {
  constructor(
    private readonly switching: SwitchCorridors,
    private readonly switches: CorridorSwitchStore,
    private readonly states: OpenCorridors,
    @Inject(COVERAGE) private readonly coverage: Coverage,
  ) {}

  async read(): Promise<CorridorsView> {
    const [off, before] = await Promise.all([this.switches.standing(), this.switches.lifted(MOST_BEFORE)]);
    const carried = this.coverage.flatMap(({ currency, kind, network, carriers }) =>
      carriers.map(({ provider }, place) => ({ provider, currency, kind, network, choice: place + 1 })),
    );
    const corridors = await Promise.all(
      carried.map(async (corridor): Promise<CorridorView> => {
        const { state, since, detail } = await this.states.stateOf(corridor);
        const over = off.filter((one: CorridorScope) => covers(one, corridor));
        return {
          ...corridor,
          state,
          state_since: timeOrNull(since),
          state_detail: detail,
          switched_off_by: over.map(({ id }) => id),
        };
      }),
    );
    return { corridors, off: off.map(switchView), before: before.map(switchView) };
  }

  async switchOff(wish: CorridorWish): Promise<Result<CorridorSwitchView, Problem>> {
    const done = await this.switching.switchOff(wish);
    return done.ok ? ok(switchView(done.value)) : done;
  }

  async switchOn(wish: CorridorWish): Promise<Result<CorridorSwitchView, Problem>> {
    const done = await this.switching.switchOn(wish);
    return done.ok ? ok(switchView(done.value)) : done;
  }
}

function switchView({ id, provider, currency, kind, network, reason, ...rest }: CorridorSwitch): CorridorSwitchView {
  return {
    id,
    provider,
    currency,
    kind,
    network,
    reason,
    off_by: rest.offBy,
    off_since: timeOf(rest.offSince),
    lifted_at: timeOrNull(rest.liftedAt),
    lifted_by: rest.liftedBy,
    lifted_why: rest.liftedWhy,
  };
}
