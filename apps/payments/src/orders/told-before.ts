import { Injectable } from '@nestjs/common';

import { CreditDeposit } from '../deposits/index.js';
import { RevertOrderDeposit } from './revert-order-deposit.js';

/** What was told of an order's deposits before the order itself, and could not be carried out then. */
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
