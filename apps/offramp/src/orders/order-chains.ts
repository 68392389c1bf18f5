import { setTimeout as pauseFor } from 'node:timers/promises';

import { Inject, Injectable, Optional } from '@nestjs/common';
import { fail, ok, type Chain, type Result, type Token } from '@vuka/domain';
import type { Clock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { ScanStore } from '../incoming-transfers/index.js';
import { SERVED_CHAIN_NAMES } from '../chains/index.js';
import { Switches } from '../switches/index.js';

/** A new service begins its scans within two seconds. */
const POLL_MS = 100;
const MOST_POLLS = 10;
/** Kept for the reservation. */
const RESERVE_MS = 500;

/** For tests: (ms: number) => Promise<unknown>. */
export const POLL_PAUSE = Symbol('POLL_PAUSE');

@Injectable()
export class OrderChains {
  public constructor(
    @Inject(SERVED_CHAIN_NAMES) private readonly served: ReadonlySet<string>,
    @Inject(Switches) private readonly switches: Pick<Switches, 'isOff'>,
    @Inject(ScanStore) private readonly scans: Pick<ScanStore, 'hasBegun'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Optional() @Inject(POLL_PAUSE) private readonly pause: (ms: number) => Promise<unknown> = pauseFor,
  ) {}

  /** Error: service_unavailable. */
  public async check(chain: Chain, token: Token, deadline: number): Promise<Result<void>> {
    if (!this.served.has(chain.name) || (await this.switches.isOff(chain.name, token.symbol))) {
      return fail({
        code: 'service_unavailable',
        message: `${token.symbol} is not taken on ${chain.name} at the moment`,
      });
    }
    if (!(await this.isCheckedThrough(chain, deadline))) {
      return fail({
        code: 'service_unavailable',
        message: `${chain.name} is not looked through yet. Send it again`,
        retryAfterS: 1,
      });
    }
    return ok(undefined);
  }

  /** A scan starts at the chain's head and would miss earlier payments: wait for its start. */
  private async isCheckedThrough({ name }: Chain, deadline: number): Promise<boolean> {
    for (let polls = 0; ; polls += 1) {
      if (await this.scans.hasBegun(name)) return true;
      if (polls === MOST_POLLS || this.clock.now().getTime() + POLL_MS + RESERVE_MS > deadline) return false;
      await this.pause(POLL_MS);
    }
  }
}
