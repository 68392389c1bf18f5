import { Injectable } from '@nestjs/common';

import { DecisionMethods } from './methods/decision-methods.js';
import { FloatMethods } from './methods/float-methods.js';
import { MoneyMethods } from './methods/money-methods.js';
import { ReadMethods } from './methods/read-methods.js';
import { StandingMethods } from './methods/standing-methods.js';

const methodsOf = (
  standing: StandingMethods,
  reads: ReadMethods,
  decisions: DecisionMethods,
  money: MoneyMethods,
  floats: FloatMethods,
) => ({
  ...standing.methods,
  ...money.methods,
  ...floats.methods,
  ...reads.methods,
  ...decisions.methods,
});

export type PaymentsAdminMethods = ReturnType<typeof methodsOf>;

/**
 * Reads and the few decisions of people. Works beside a running payments or alone, because the database decides.
 * Runs no migrations.
 */
@Injectable()
export class PaymentsAdmin {
  readonly methods: PaymentsAdminMethods;

  constructor(
    standing: StandingMethods,
    reads: ReadMethods,
    decisions: DecisionMethods,
    money: MoneyMethods,
    floats: FloatMethods,
  ) {
    this.methods = methodsOf(standing, reads, decisions, money, floats);
  }
}
