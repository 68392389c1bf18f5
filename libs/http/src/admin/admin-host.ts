import type { OpenAdmin } from '@vuka/contracts';
import { fail, type Problem, type Result } from '@vuka/domain';
import { answerWithin, type Logger, ServiceUnavailableError } from '@vuka/runtime';

import { runTaggedMethod, type OperatorName } from './admin-calls.js';

export interface AdminHostOptions {
  readonly service: string;
  /** Connects; called when somebody asks, and again after the admin part was closed for want of calls. */
  readonly open: () => Promise<OpenAdmin>;
  readonly log: Logger;
  /** How long an idle admin part stays open, milliseconds; a minute unless told otherwise. */
  readonly idleMs?: number;
  /** How long close() lets the call at work go on, milliseconds; a second unless told otherwise. */
  readonly drainMs?: number;
}

const IDLE_MS = 60_000;
/** A process that stops has ten seconds for everything, and a look through the whole ledger takes up to a minute. */
const DRAIN_MS = 1_000;
/** That wait while another is worked on. */
const MOST_WAITING = 16;

const TOO_LATE: Problem = { code: 'rate_limited', message: 'Its turn came too late: nothing was done' };

/** One service's admin part behind its internal server: opened when it is asked, one call at a time, closed when nobody asks. */
export class AdminHost {
  private admin: OpenAdmin | undefined;
  private turn: Promise<unknown> = Promise.resolve();
  private waiting = 0;
  private idle: NodeJS.Timeout | undefined;
  private closed = false;
  /** Of calls that nobody was answered yet. */
  private readonly unanswered = new Set<(error: Error) => void>();

  constructor(private readonly options: AdminHostOptions) {}

  /**
   * Runs one method with tagged arguments and gives its tagged answer. What is not wanted any more when its turn comes is not begun: who asked was told by
   * then that it may have been done, looks, and asks once more. Errors: those of runAdminMethod, rate_limited (too many wait, or it came too late),
   * invalid_request (an answer that is too long); throws what opening and the method throw, and ServiceUnavailableError where the admin part was closed meanwhile.
   */
  async call(
    method: string,
    args: readonly unknown[],
    operator: OperatorName,
    isWanted: () => boolean = () => true,
  ): Promise<Result<unknown>> {
    if (this.closed || this.waiting >= MOST_WAITING)
      return fail({
        code: 'rate_limited',
        message: `The admin part of ${this.options.service} has too much to do: try again in a moment`,
      });
    this.waiting += 1;
    const mine = this.turn.then(() =>
      isWanted() && !this.closed ? this.work(method, args, operator) : fail(TOO_LATE),
    );
    this.turn = mine.catch(() => undefined).finally(() => (this.waiting -= 1));
    return new Promise((resolve, reject) => {
      this.unanswered.add(reject);
      void mine.then(resolve, reject).finally(() => this.unanswered.delete(reject));
    });
  }

  /** Begins no other call, lets the one at work end within its time, else answers that nobody knows what became of it, and closes the admin part. Bounded. */
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
      log.warn('what people asked did not end in time and is left');
      for (const giveUp of this.unanswered) giveUp(new ServiceUnavailableError(service, 'it is stopping'));
    }
    await answerWithin(drainMs, this.shut(), undefined);
  }

  private async work(method: string, args: readonly unknown[], operator: OperatorName): Promise<Result<unknown>> {
    clearTimeout(this.idle);
    const { log, open, idleMs = IDLE_MS } = this.options;
    try {
      this.admin ??= await open();
      const { methods } = this.admin;
      // What was asked with holds names, keys and reasons: it stays out of the log.
      const acts = Object.hasOwn(methods, method) && methods[method]?.acts === true;
      log[acts ? 'info' : 'debug']({ method, operator: operator ?? undefined }, 'the admin part was asked');
      return await runTaggedMethod(methods, method, args, operator);
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
    await admin
      ?.close()
      .catch((error: unknown) => this.options.log.warn({ err: error }, 'an admin part did not close'));
  }
}
