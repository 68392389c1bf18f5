import { Inject, Injectable } from '@nestjs/common';
import { fail, ok, type Problem, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';
import { LOGGER } from '@vuka/service-host';

import { DATABASE_WAIT_MS, isOpenOutcome, withTimeout } from '../calls/index.js';
import { type Acquired, IdempotencyStore, type IdempotentRequest, type Lease } from './idempotency.store.js';
import type { AcceptanceRecord, MoneyOutcome } from './money-outcome.js';

export type OnceRequest = Omit<IdempotentRequest, 'key'> & {
  readonly key: string | null;
  readonly currency: string;
  /** The caller's own; null if the code was created for this call. */
  readonly reference: string | null;
};

export type Run<R = AcceptanceRecord> = (transactionCode: string) => Promise<Result<{ record: R; replayed: boolean }>>;

export type IdempotencyKeys = Pick<IdempotencyStore, 'acquire' | 'complete' | 'release' | 'forget'>;

/**
 * decisions.md section 1: one key, one transaction. The key is committed with its code before the call. Only a 2xx is
 * stored; a 4xx removes the key; an unknown outcome keeps the code. Without a key only the reference guards, in
 * payments.
 */
@Injectable()
export class RunOnce {
  constructor(
    @Inject(IdempotencyStore) private readonly keys: IdempotencyKeys,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async run<R = AcceptanceRecord>(request: OnceRequest, run: Run<R>): Promise<MoneyOutcome<R>> {
    const { key, transactionCode } = request;
    if (key === null) return outcome(transactionCode, await run(transactionCode));
    const acquired = await this.acquire({ ...request, key });
    // A new code names nothing: it was never called with.
    if (!acquired.ok) return refused(acquired.error, request.reference);
    const found = acquired.value;
    if (found.kind !== 'leased') return answerOf<R>(found);
    const result = await run(found.lease.transactionCode);
    await this.settle(found.lease, result);
    return outcome(found.lease.transactionCode, result);
  }

  private async acquire(request: IdempotentRequest): Promise<Result<Acquired>> {
    try {
      return ok(await withTimeout(DATABASE_WAIT_MS, 'acquire an idempotency key', this.keys.acquire(request)));
    } catch (error) {
      this.log.error({ err: error }, 'an idempotency key could not be read');
      return fail(KEY_UNREADABLE);
    }
  }

  /** If this fails, the known answer is still given; the lease expires and a retry asks again. */
  private async settle(lease: Lease, result: Ran<unknown>): Promise<void> {
    try {
      await withTimeout(DATABASE_WAIT_MS, 'settle an idempotency key', this.settlement(lease, result));
    } catch (error) {
      this.log.error(
        { err: error, transaction_code: lease.transactionCode },
        'an idempotency key could not be settled',
      );
    }
  }

  private settlement(lease: Lease, result: Ran<unknown>): Promise<void> {
    if (result.ok) return this.keys.complete(lease, JSON.stringify(result.value.record));
    // An earlier run may still be accepted under this code, so keep them tied.
    if (isOpenOutcome(result.error) || lease.takenOver) return this.keys.release(lease);
    return this.keys.forget(lease);
  }
}

type Ran<R> = Awaited<ReturnType<Run<R>>>;

function outcome<R>(transactionCode: string, result: Ran<R>): MoneyOutcome<R> {
  if (result.ok) return { result: ok(result.value.record), transactionCode, replayed: result.value.replayed };
  return { result, transactionCode: result.error.transactionCode ?? transactionCode, replayed: false };
}

function answerOf<R>(found: Exclude<Acquired, { kind: 'leased' }>): MoneyOutcome<R> {
  if (found.kind === 'stored') return replayOf<R>(found.transactionCode, found.response);
  if (found.kind === 'running') return stillRunning(found.transactionCode);
  return refused(MISMATCH, null);
}

export function replayOf<R = AcceptanceRecord>(transactionCode: string, response: string): MoneyOutcome<R> {
  return { result: ok(JSON.parse(response) as R), transactionCode, replayed: true };
}

export function stillRunning(transactionCode: string): MoneyOutcome<never> {
  return refused(running(transactionCode), transactionCode);
}

function refused(problem: Problem, transactionCode: string | null): MoneyOutcome<never> {
  return { result: fail(problem), transactionCode, replayed: false };
}

const KEY_UNREADABLE: Problem = {
  code: 'service_unavailable',
  message:
    'The Idempotency-Key could not be read. Whether an earlier request under this key was accepted is not known; ' +
    'send the same request with the same key again',
};

const MISMATCH: Problem = {
  code: 'idempotency_mismatch',
  message: 'This Idempotency-Key was sent before with another payload. Send the same payload, or a new key',
};

function running(transactionCode: string): Problem {
  return {
    code: 'request_in_progress',
    message: `A request with this Idempotency-Key is still running, as transaction ${transactionCode}. Try again shortly`,
    transactionCode,
    retryAfterS: 1,
  };
}
