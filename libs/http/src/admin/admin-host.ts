import { type OpenAdmin, ruleOf } from '@vuka/contracts';
import { fail, type Problem, type Result } from '@vuka/domain';
import { answerWithin, type Logger, ServiceUnavailableError } from '@vuka/runtime';

import type { Actor } from './actor.js';
import { runTaggedMethod } from './admin-calls.js';

export interface AdminHostOptions {
  readonly service: string;
  /** Called at the first call, and again after an idle close. */
  readonly open: () => Promise<OpenAdmin>;
  readonly log: Logger;
  /** Milliseconds; default 60,000. */
  readonly idleMs?: number;
  /** Milliseconds that close() waits for the running call; default 1,000. */
  readonly drainMs?: number;
}

const IDLE_MS = 60_000;
/** A process has 10 s to stop; a ledger check takes up to a minute. */
const DRAIN_MS = 1_000;
const MOST_WAITING = 16;

/** The service's own rule, whoever asks: admin alone cannot do it. */
const NEEDS_TWO: Problem = { code: 'forbidden', message: 'This needs a second person, and none has approved it' };

const TOO_LATE: Problem = {
  code: 'rate_limited',
  message: 'The command waited too long for its turn. Nothing was done',
};

/** Serves one service's admin API: opened on demand, one call at a time, closed when idle. */
export class AdminHost {
  private admin: OpenAdmin | undefined;
  private turn: Promise<unknown> = Promise.resolve();
  private waiting = 0;
  private idle: NodeJS.Timeout | undefined;
  private closed = false;
  private readonly unanswered = new Set<(error: Error) => void>();

  constructor(private readonly options: AdminHostOptions) {}

  /**
   * A call that is no longer wanted at its turn is not begun, because its caller was told the outcome is open and
   * will check. Errors: those of runTaggedMethod, rate_limited. Throws what opening and the method throw, and
   * ServiceUnavailableError when closed meanwhile.
   */
  async call(
    method: string,
    args: readonly unknown[],
    actor: Actor,
    isWanted: () => boolean = () => true,
  ): Promise<Result<unknown>> {
    if (this.closed || this.waiting >= MOST_WAITING)
      return fail({
        code: 'rate_limited',
        message: `The admin API of ${this.options.service} is busy. Try again in a moment`,
      });
    this.waiting += 1;
    const mine = this.turn.then(() => (isWanted() && !this.closed ? this.work(method, args, actor) : fail(TOO_LATE)));
    this.turn = mine.catch(() => undefined).finally(() => (this.waiting -= 1));
    return new Promise((resolve, reject) => {
      this.unanswered.add(reject);
      void mine.then(resolve, reject).finally(() => this.unanswered.delete(reject));
    });
  }

  /** Reports a call that is still running after `drainMs` as unknown. Bounded. */
  async close(): Promise<void> {
    const { service, log, drainMs = DRAIN_MS } = this.options;
    this.closed = true;
    if (
      !(await answerWithin(
        drainMs,
        this.turn.then(() => true),
        false,
      ))
    ) {
      log.warn('admin commands did not end in time, and are left');
      for (const giveUp of this.unanswered) giveUp(new ServiceUnavailableError(service, 'it is stopping'));
    }
    await answerWithin(drainMs, this.shut(), undefined);
  }

  private async work(method: string, args: readonly unknown[], actor: Actor): Promise<Result<unknown>> {
    const { service, log, open, idleMs = IDLE_MS } = this.options;
    if (ruleOf(service, method)?.approvals === 1 && actor.approvedBy === null) return fail(NEEDS_TWO);
    clearTimeout(this.idle);
    try {
      this.admin ??= await open();
      const { methods } = this.admin;
      // Arguments hold names, keys and reasons.
      const acts = Object.hasOwn(methods, method) && methods[method]?.acts === true;
      log[acts ? 'info' : 'debug']({ method, operator: actor.name ?? undefined }, 'the admin API was asked');
      return await runTaggedMethod(methods, method, args, actor);
    } finally {
      this.idle = setTimeout(() => void this.shutWhenIdle(), idleMs).unref();
    }
  }

  private async shutWhenIdle(): Promise<void> {
    if (this.waiting > 0) return;
    this.turn = this.shut();
    await this.turn;
  }

  private async shut(): Promise<void> {
    clearTimeout(this.idle);
    const { admin } = this;
    this.admin = undefined;
    await admin?.close().catch((error: unknown) => this.options.log.warn({ err: error }, 'an admin API did not close'));
  }
}
