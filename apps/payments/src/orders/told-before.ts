import { Injectable } from '@nestjs/common';

import { CreditDeposit } from '../deposits/index.js';
import { RevertOrderDeposit } from './revert-order-deposit.js';

/** Events that came before their order. */
@Injectable()
export class ToldBefore {
  constructor(
    private readonly reversals: RevertOrderDeposit,
    private readonly credits: CreditDeposit,
  ) {}

  takeBackAmong(depositIds: readonly number[]): Promise<void> {
    return this.reversals.takeBackAmong(depositIds);
  }

  creditAmong(depositIds: readonly number[]): Promise<void> {
    return this.credits.creditAmong(depositIds);
  }
}
