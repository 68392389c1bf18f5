import { Injectable } from '@nestjs/common';

import { LostCallbacks } from '../callbacks/index.js';
import { CallProvider } from '../payouts/index.js';
import type { ClaimedAttempt, ClaimPurpose } from '../transactions/index.js';

/** A call, and a note of each poll: had the provider called back, there would have been less to ask. */
@Injectable()
export class MakeCall {
  constructor(
    private readonly caller: CallProvider,
    private readonly lost: LostCallbacks,
  ) {}

  async run(purpose: ClaimPurpose, attempt: ClaimedAttempt): Promise<void> {
    await this.caller.run(purpose, attempt);
    if (purpose === 'poll') this.lost.note(attempt);
  }
}
