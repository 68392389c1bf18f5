import { Injectable } from '@nestjs/common';

import { PayoutWake } from '../due-work/index.js';
import { CallbackLoops } from './callback-loops.js';
import { CallLoops } from './call-loops.js';
import { LedgerLoops } from './ledger-loops.js';
import { StartLoop } from './start-loop.js';
import { StatementLoops } from './statement-loops.js';

/** All work is rows with a due time; a lost wake loses nothing. */
@Injectable()
export class PayoutJobs {
  constructor(
    private readonly wake: PayoutWake,
    private readonly starts: StartLoop,
    private readonly calls: CallLoops,
    private readonly statements: StatementLoops,
    private readonly ledger: LedgerLoops,
    private readonly callbacks: CallbackLoops,
  ) {}

  start(): void {
    this.wake.register();
    for (const loops of [this.starts, this.ledger, this.statements, this.callbacks, this.calls]) loops.start();
  }

  /** Readers and starters stop before the calls they cause. */
  async stop(): Promise<void> {
    await Promise.all([this.starts, this.ledger, this.statements, this.callbacks].map((loops) => loops.stop()));
    await this.calls.stop();
  }
}
