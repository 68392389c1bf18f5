import { Inject, Injectable } from '@nestjs/common';
import { fail, ok, type Problem, type Result, faultOfWord, nameOf } from '@vuka/domain';
import { recordAuditEntry, Database, type Transaction } from '@vuka/persistence';
import { type Clock, maskText } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { FreezeStore, type KeptFreeze } from './freeze.store.js';
import { WakeStopped } from './wake-stopped.js';

export interface FreezeWish {
  readonly partnerId: number;
  readonly reason: string;
  readonly by: string;
}

/** See docs/engineers/money-controls.md. One person is enough. */
@Injectable()
export class FreezePayouts {
  constructor(
    private readonly db: Database,
    @Inject(WakeStopped) private readonly stopped: Pick<WakeStopped, 'run'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Errors: invalid_request; an existing freeze keeps its reason. */
  async freeze(wish: FreezeWish): Promise<Result<KeptFreeze, Problem>> {
    const fault = faultOfWord(wish);
    if (fault) return fail({ code: 'invalid_request', message: fault });
    const word = wordOf(wish, this.clock.now());
    return this.db.inTransaction(async (tx) => {
      const made = await new FreezeStore(tx).freeze(wish.partnerId, word);
      if (!made)
        return fail({
          code: 'invalid_request',
          message: `The payouts of partner ${wish.partnerId} are frozen already`,
        });
      await record(tx, 'payouts.frozen', made, word);
      return ok(made);
    });
  }

  /** Waiting payouts are due at once. Errors: not_found (not frozen), invalid_request. */
  async unfreeze(wish: FreezeWish): Promise<Result<KeptFreeze, Problem>> {
    const fault = faultOfWord(wish);
    if (fault) return fail({ code: 'invalid_request', message: fault });
    const word = wordOf(wish, this.clock.now());
    const lifted = await this.db.inTransaction(async (tx) => {
      const freeze = await new FreezeStore(tx).lift(wish.partnerId, word);
      if (freeze) await record(tx, 'payouts.unfrozen', freeze, word);
      return freeze;
    });
    if (!lifted)
      return fail({
        code: 'not_found',
        message: `The payouts of partner ${wish.partnerId} are not frozen by a person`,
      });
    await this.stopped.run(wish.partnerId);
    return ok(lifted);
  }
}

interface Word {
  readonly by: string;
  readonly reason: string;
  readonly at: Date;
}

function wordOf({ by, reason }: FreezeWish, at: Date): Word {
  return { by: nameOf(by), reason: maskText(reason.trim()), at };
}

function record(tx: Transaction, act: string, { id, partnerId }: KeptFreeze, word: Word): Promise<void> {
  return recordAuditEntry(tx, { ...word, act, partnerId, subject: `freeze ${id}` });
}
