import { Inject, Injectable } from '@nestjs/common';
import { deadLetterMethods } from '@vuka/messaging';
import { actMethods, Database } from '@vuka/persistence';
import type { Clock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { SEALED_CHAINS } from '../commit/index.js';
import { DecisionMethods } from './methods/decision-methods.js';
import { FloatMethods } from './methods/float-methods.js';
import { MoneyMethods } from './methods/money-methods.js';
import { ReadMethods } from './methods/read-methods.js';

const methodsOf = (
  db: Database,
  clock: Clock,
  reads: ReadMethods,
  decisions: DecisionMethods,
  money: MoneyMethods,
  floats: FloatMethods,
) => ({
  ...actMethods(db, SEALED_CHAINS),
  ...deadLetterMethods(db, clock),
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
    db: Database,
    @Inject(CLOCK) clock: Clock,
    reads: ReadMethods,
    decisions: DecisionMethods,
    money: MoneyMethods,
    floats: FloatMethods,
  ) {
    this.methods = methodsOf(db, clock, reads, decisions, money, floats);
  }
}
