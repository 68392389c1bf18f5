import { Injectable } from '@nestjs/common';

import { PayoutWake } from '../due-work/index.js';
import { CallLoops } from './call-loops.js';
import { LedgerLoops } from './ledger-loops.js';
import { StartLoop } from './start-loop.js';
import { StatementLoops } from './statement-loops.js';

/** The due work of payouts. All of it is rows with their time; wakes only say that it is worth a look. */
@Injectable()
export class PayoutJobs {
  constructor(
    private readonly wake: PayoutWake,
    private readonly starts: StartLoop,
    private readonly calls: CallLoops,
    private readonly statements: StatementLoops,
    private readonly ledger: LedgerLoops,
  ) {}

  start(): void {
    this.wake.register();
    for (const loops of [this.starts, this.ledger, this.statements, this.calls]) loops.start();
  }

  /** What reads and starts ends before the calls that it leads to. */
  async stop(): Promise<void> {
    await Promise.all([this.starts.stop(), this.ledger.stop(), this.statements.stop()]);
    await this.calls.stop();
  }
}
