import { Inject, Injectable } from '@nestjs/common';
import type { Clock, Logger } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';

import { type ChainsByName, type ServedChain, ServedChains } from '../chains/index.js';
import { RecheckStore, type RevertedDeposit, type Room } from '../claims/index.js';
import { ChainChecks } from './chain-checks.js';
import { WatchReturns } from './watch-returns.js';

@Injectable()
export class Returns extends ChainChecks<RevertedDeposit> {
  public readonly name = 'watch-returns';

  public constructor(
    @Inject(ServedChains) chains: ChainsByName<ServedChain>,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOGGER) log: Logger,
    private readonly store: RecheckStore,
    private readonly work: WatchReturns,
  ) {
    super(chains, clock, log);
  }

  protected claim(now: Date, leaseUntil: Date, room: readonly Room[]): Promise<RevertedDeposit[]> {
    return this.store.claimReverted(now, leaseUntil, room);
  }

  protected check(taken: readonly [RevertedDeposit, ...RevertedDeposit[]], served: ServedChain): Promise<void> {
    return this.work.check(taken, served);
  }
}
