import { Inject, Injectable } from '@nestjs/common';
import type { Clock, Logger } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';

import { type ChainsByName, type ServedChain, ServedChains } from '../chains/index.js';
import { type DepositToRecheck, RecheckStore, type Room } from '../claims/index.js';
import { ChainChecks } from './chain-checks.js';
import { RecheckDeposits } from './recheck-deposits.js';

@Injectable()
export class Rechecks extends ChainChecks<DepositToRecheck> {
  public readonly name = 'recheck-deposits';

  public constructor(
    @Inject(ServedChains) chains: ChainsByName<ServedChain>,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOGGER) log: Logger,
    private readonly store: RecheckStore,
    private readonly work: RecheckDeposits,
  ) {
    super(chains, clock, log);
  }

  protected claim(now: Date, leaseUntil: Date, room: readonly Room[]): Promise<DepositToRecheck[]> {
    return this.store.claim(now, leaseUntil, room);
  }

  protected check(taken: readonly [DepositToRecheck, ...DepositToRecheck[]], served: ServedChain): Promise<void> {
    return this.work.check(taken, served);
  }
}
