import { Inject, Injectable } from '@nestjs/common';
import { fail, type Result } from '@vuka/domain';
import { isCancelled, isOutage } from '@vuka/persistence';
import { type Clock, type Logger, ServiceUnavailableError } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';

/** A request has 2 s. */
export const LIST_TIMEOUT_MS = 1_500;
/** Of all partners: the connections reserved for lists. */
export const LISTS_AT_ONCE = 2;
const MAX_WAITING = 20;
/** For the way back to the caller. */
const WAY_BACK_MS = 200;
const LONGEST_WAIT_MS = 10_000;

const RETRY_AFTER_S = 1;

const TOO_MANY: Result<never> = fail({
  code: 'rate_limited',
  message: `Too many lists and statements at once: one is read at a time, and ${String(MAX_WAITING)} may wait. Send it again in ${String(RETRY_AFTER_S)} s`,
  retryAfterS: RETRY_AFTER_S,
});

const TOO_LATE: Result<never> = fail({
  code: 'service_unavailable',
  message:
    'The lists and statements before this one took too long. Nothing was changed; send it again later, or one after the other',
  retryAfterS: RETRY_AFTER_S,
});

const TOO_LONG: Result<never> = fail({
  code: 'service_unavailable',
  message: 'It takes too long to look through all these days. Nothing was changed; ask for fewer days',
});

interface Waiter {
  readonly begin: () => void;
}

/**
 * One at a time per partner, on their own connections: a partner with a million rows delays neither others' lists
 * nor payouts. Waiting partners take turns.
 */
@Injectable()
export class ListTurns {
  private readonly reading = new Set<number>();
  private readonly waiting = new Map<number, Waiter[]>();

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * `deadline`: epoch ms. Errors: those of `read`, rate_limited (too many waiting), service_unavailable (turn too
   * late, or read too long). Throws ServiceUnavailableError if the database is out of reach.
   */
  async run<T>(partnerId: number, deadline: number, read: () => Promise<Result<T>>): Promise<Result<T>> {
    if ((this.waiting.get(partnerId)?.length ?? 0) >= MAX_WAITING) return TOO_MANY;
    if (!(await this.turnCame(partnerId, deadline - WAY_BACK_MS - this.clock.now().getTime()))) return TOO_LATE;
    try {
      return await read();
    } catch (error) {
      if (isCancelled(error)) {
        this.log.warn({ partner_id: partnerId }, 'a list took too long to read and was cancelled');
        return TOO_LONG;
      }
      throw isOutage(error)
        ? new ServiceUnavailableError('payments', 'a list cannot be read', { cause: error })
        : error;
    } finally {
      this.reading.delete(partnerId);
      this.waitBehindOthers(partnerId);
      this.beginNext();
    }
  }

  /** False after `withinMs`. */
  private async turnCame(partnerId: number, withinMs: number): Promise<boolean> {
    if (withinMs <= 0) return false;
    return new Promise((resolve) => {
      const waiter: Waiter = {
        begin: () => {
          clearTimeout(timer);
          resolve(true);
        },
      };
      const timer = setTimeout(
        () => {
          this.leave(partnerId, waiter);
          resolve(false);
        },
        Math.min(withinMs, LONGEST_WAIT_MS),
      );
      this.waiting.set(partnerId, [...(this.waiting.get(partnerId) ?? []), waiter]);
      this.beginNext();
    });
  }

  private beginNext(): void {
    if (this.reading.size >= LISTS_AT_ONCE) return;
    for (const [partnerId, [first, ...others]] of this.waiting) {
      if (first === undefined || this.reading.has(partnerId)) continue;
      this.reading.add(partnerId);
      this.keep(partnerId, others);
      first.begin();
      return;
    }
  }

  private waitBehindOthers(partnerId: number): void {
    const own = this.waiting.get(partnerId) ?? [];
    this.waiting.delete(partnerId);
    this.keep(partnerId, own);
  }

  private leave(partnerId: number, waiter: Waiter): void {
    this.keep(
      partnerId,
      (this.waiting.get(partnerId) ?? []).filter((other) => other !== waiter),
    );
  }

  private keep(partnerId: number, waiters: Waiter[]): void {
    if (waiters.length > 0) this.waiting.set(partnerId, waiters);
    else this.waiting.delete(partnerId);
  }
}
