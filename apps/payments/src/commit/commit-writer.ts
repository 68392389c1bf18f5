import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { parseAccountName } from '@vuka/domain';
import {
  isConnectionError,
  isOutage,
  isTransientError,
  recordAuditEntry,
  type AuditEntry,
  Database,
  type Transaction,
} from '@vuka/persistence';
import { type Clock, crashPoint, type Logger, ServiceUnavailableError, type WakeSignal } from '@vuka/runtime';
import { CLOCK, LOGGER, OUTBOX_SIGNAL } from '@vuka/service-host';

import { accountsOf, encodeCommits } from './encode-commits.js';
import type { PaymentCommit, CommitOutcome } from './payment-commit.js';

export type Priority = 'foreground' | 'background';

interface Item {
  readonly move: PaymentCommit;
  readonly priority: Priority;
  /** Epoch ms; not tried from then on. */
  readonly giveUpAt: number;
  trouble?: unknown;
  readonly resolve: (outcome: CommitOutcome) => void;
  readonly reject: (error: unknown) => void;
}

const MAX_BATCH = 200;
const BACKGROUND_SHARE = 50;
const MAX_QUEUED = 20_000;
/** Then partners are waiting. */
const CROWD = 16;
/** ms until a commit is rejected. */
const RESEND_FOR_MS = 15_000;

const COMMIT_SQL = 'select n, outcome, transaction_id from commit_batch($1, $2)';

/**
 * The one writer of transactions and money. A batch whose answer was lost is sent again: commits are idempotent by
 * key, sequence and id.
 */
@Injectable()
export class CommitWriter implements OnApplicationShutdown {
  private readonly queues: Record<Priority, Item[]> = { foreground: [], background: [] };
  private readonly knownAccounts = new Set<string>();
  private running: Promise<void> | undefined;
  private foregroundInBatch = 0;
  /** Acceptances under way: nobody can say yet that they do not exist. */
  private readonly recording = new Map<string, number>();

  constructor(
    private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(OUTBOX_SIGNAL) private readonly outboxSignal: WakeSignal,
  ) {}

  /**
   * `until`: epoch ms when the caller stops waiting. The commit is not tried later: the caller asks again, and
   * another process may refuse what this one would still commit.
   * A commit waits at most 15 s. Then it is rejected, because its event will be redelivered and must not be
   * processed twice.
   * Resolves when it is durable or refused. Throws ServiceUnavailableError if it is not known to be committed,
   * CommitOutcomeUnknownError if nobody can say. The outcome is open, unless `sent` is false.
   */
  commit(move: PaymentCommit, priority: Priority, until = Infinity): Promise<CommitOutcome> {
    if (this.queues.foreground.length + this.queues.background.length >= MAX_QUEUED) {
      return Promise.reject(new ServiceUnavailableError('payments', 'too many moves are waiting', { sent: false }));
    }
    if (move.act) return this.commitByPeople(move, move.act);
    const key = move.insertion && keyOf(move.insertion.details.partnerId, move.insertion.details.transactionCode);
    const outcome = new Promise<CommitOutcome>((resolve, reject) => {
      this.queues[priority].push({
        move,
        priority,
        giveUpAt: Math.min(this.clock.now().getTime() + RESEND_FOR_MS, until),
        resolve,
        reject,
      });
      this.running ??= this.run();
    });
    return key === undefined ? outcome : this.whileRecorded(key, () => outcome);
  }

  /** An outcome other than `ok` has written nothing. Call `openAccounts` before the transaction begins. */
  async commitIn(tx: Transaction, move: PaymentCommit): Promise<CommitOutcome> {
    crashPoint('payments.before-commit');
    const [row] = await tx.query<CommitRow>(COMMIT_SQL, encodeCommits([move], this.clock.now(), tx.eventMacs), {
      name: 'commit_batch',
    });
    if (!row) throw new Error('a move has an outcome');
    return toOutcome(row);
  }

  /** null if `stands` refuses. Not resent after a lost answer: due work checks again. */
  async commitWhere(stands: (tx: Transaction) => Promise<boolean>, move: PaymentCommit): Promise<CommitOutcome | null> {
    await this.openAccounts([move]);
    const carried = await this.db.inTransaction(async (tx) => ((await stands(tx)) ? this.commitIn(tx, move) : null));
    if (carried?.outcome === 'ok' && move.outbox.length > 0) this.outboxSignal.notify();
    return carried;
  }

  /** An acceptance is under way from its first step on, before its commit is sent. */
  whileRecording<T>(partnerId: number, reference: string, accept: () => Promise<T>): Promise<T> {
    return this.whileRecorded(keyOf(partnerId, reference), accept);
  }

  private async whileRecorded<T>(key: string, work: () => Promise<T>): Promise<T> {
    this.recording.set(key, (this.recording.get(key) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.recording.get(key) ?? 1) - 1;
      if (left > 0) this.recording.set(key, left);
      else this.recording.delete(key);
    }
  }

  isRecording(partnerId: number, reference: string): boolean {
    return this.recording.has(keyOf(partnerId, reference));
  }

  /** An accepted payment is safe already. */
  get crowded(): boolean {
    return this.foregroundInBatch >= CROWD;
  }

  async drain(): Promise<void> {
    while (this.running) await this.running;
  }

  onApplicationShutdown(): Promise<void> {
    return this.drain();
  }

  /** Not resent after a lost answer: people are told that the outcome is unknown. */
  private async commitByPeople(move: PaymentCommit, act: AuditEntry): Promise<CommitOutcome> {
    await this.openAccounts([move]);
    const outcome = await this.db.inTransaction(
      async (tx) => {
        const carried = await this.commitIn(tx, move);
        if (carried.outcome === 'ok') await recordAuditEntry(tx, act);
        return carried;
      },
      { retries: 2 },
    );
    if (outcome.outcome === 'ok' && move.outbox.length > 0) this.outboxSignal.notify();
    return outcome;
  }

  private async run(): Promise<void> {
    // One turn of the event loop puts all that came together into one batch.
    await new Promise<void>((resolve) => setImmediate(resolve));
    for (let batch = this.nextBatch(); batch.length > 0; batch = this.nextBatch()) await this.commitBatch(batch);
    this.running = undefined;
  }

  private nextBatch(): Item[] {
    const batch: Item[] = [];
    const seen = new Set<number>();
    const now = this.clock.now().getTime();
    const take = (priority: Priority, most: number): void => {
      const left: Item[] = [];
      const queue = this.queues[priority];
      let i = 0;
      for (; i < queue.length && batch.length < most; i++) {
        const item = queue[i] as Item;
        const id = item.move.transactionId;
        if (now >= item.giveUpAt) item.reject(tooLate(item));
        else if (id !== null && seen.has(id)) left.push(item);
        else {
          if (id !== null) seen.add(id);
          batch.push(item);
        }
      }
      this.queues[priority] = i === queue.length ? left : [...left, ...queue.slice(i)];
    };
    take('foreground', MAX_BATCH - Math.min(BACKGROUND_SHARE, this.queues.background.length));
    this.foregroundInBatch = batch.length;
    take('background', MAX_BATCH);
    return batch;
  }

  private async commitBatch(items: readonly Item[]): Promise<void> {
    try {
      await this.settle(items);
    } catch (error) {
      if (items.length === 1 && isLockTimeout(error)) this.tryLater(items[0] as Item, error);
      else if (items.length === 1 || isConnectionError(error)) for (const item of items) item.reject(error);
      else await this.commitOneByOne(items, error);
    }
  }

  private async commitOneByOne(items: readonly Item[], cause: unknown): Promise<void> {
    this.log.error(
      { code: 'commit_batch_failed', size: items.length, err: cause },
      'a batch of moves failed; sending its moves one by one',
    );
    const locked = new Map<string, unknown>();
    // Only an outage, never another commit's fault.
    let inTheWay = isOutage(cause) ? cause : undefined;
    for (const item of items) {
      if (this.clock.now().getTime() >= item.giveUpAt) {
        item.reject(
          new ServiceUnavailableError('payments', 'its time was over before its turn came', { cause: inTheWay }),
        );
        continue;
      }
      const balances = [...accountsOf([item.move])].filter((name) => parseAccountName(name).partner !== undefined);
      // It would only wait as long again.
      const lock = balances.find((name) => locked.has(name));
      if (lock !== undefined) {
        this.tryLater(item, locked.get(lock));
        continue;
      }
      try {
        await this.settle([item]);
      } catch (error) {
        if (isOutage(error)) inTheWay = error;
        if (!isLockTimeout(error)) item.reject(error);
        else {
          for (const name of balances) locked.set(name, error);
          this.tryLater(item, error);
        }
      }
    }
  }

  private tryLater(item: Item, cause: unknown): void {
    item.trouble = cause;
    if (this.clock.now().getTime() < item.giveUpAt) this.queues[item.priority].push(item);
    else item.reject(new ServiceUnavailableError('payments', 'an account stayed locked', { cause }));
  }

  private async settle(items: readonly Item[]): Promise<void> {
    let waiting = items;
    for (let tries = 1; ; tries++) {
      try {
        return this.tell(waiting, await this.send(waiting.map((item) => item.move)));
      } catch (error) {
        const [only] = waiting;
        // Its decision is out of date: the caller reads again.
        if (waiting.length === 1 && only && startsOnVanished(error)) return only.resolve({ outcome: 'stale' });
        const passes = (isTransientError(error) && !isLockTimeout(error)) || isConnectionError(error);
        const now = this.clock.now().getTime();
        const left = waiting.filter((item) => now < item.giveUpAt);
        if (!passes || left.length === 0) throw error;
        for (const item of waiting) if (now >= item.giveUpAt) item.reject(error);
        waiting = left;
        this.log.warn(
          { code: 'commit_batch_resent', tries, size: left.length, err: error },
          'sending a batch of moves again',
        );
        await new Promise((resolve) => setTimeout(resolve, Math.min(50 * 2 ** Math.min(tries, 10), 1000)));
      }
    }
  }

  private async send(moves: readonly PaymentCommit[]): Promise<CommitRow[]> {
    await this.openAccounts(moves);
    crashPoint('payments.before-commit');
    const batch = encodeCommits(moves, this.clock.now(), this.db.eventMacs);
    const rows = await this.db.query<CommitRow>(COMMIT_SQL, batch, { name: 'commit_batch' });
    crashPoint('payments.after-commit');
    return rows;
  }

  private tell(items: readonly Item[], rows: readonly CommitRow[]): void {
    let wroteEvents = false;
    for (const row of rows) {
      const item = items[row.n] as Item;
      if (row.outcome === 'again') {
        item.trouble ??= new ServiceUnavailableError('payments', 'another move of its batch was in its way', {
          sent: false,
        });
        this.queues[item.priority].unshift(item);
      } else {
        wroteEvents ||= row.outcome === 'ok' && item.move.outbox.length > 0;
        item.resolve(toOutcome(row));
      }
    }
    if (wroteEvents) this.outboxSignal.notify();
  }

  /** Outside the batch: an empty account changes nothing. */
  async openAccounts(moves: readonly PaymentCommit[]): Promise<void> {
    const missing = [...accountsOf(moves)].filter((name) => !this.knownAccounts.has(name)).sort();
    if (missing.length === 0) return;
    const accounts = missing.map((name) => parseAccountName(name));
    await this.db.query(
      `insert into accounts (name, kind, partner_id, asset, balance_minor, created_at)
       select name, kind, partner_id, asset, case when partner_id is null then null else 0 end, $5
         from unnest($1::text[], $2::text[], $3::integer[], $4::text[]) as a(name, kind, partner_id, asset)
       on conflict (name) do nothing`,
      [
        missing,
        accounts.map((a) => a.kind),
        accounts.map((a) => a.partner ?? null),
        accounts.map((a) => a.asset),
        this.clock.now(),
      ],
    );
    for (const name of missing) this.knownAccounts.add(name);
  }
}

interface CommitRow {
  readonly n: number;
  readonly outcome: CommitOutcome['outcome'] | 'again';
  readonly transaction_id: string | null;
}

function keyOf(partnerId: number, reference: string): string {
  return `${partnerId}:${reference}`;
}

/** `sent` false: certainly not committed. */
function tooLate({ trouble }: Item): ServiceUnavailableError {
  return new ServiceUnavailableError(
    'payments',
    'its time was over before its turn came',
    trouble === undefined ? { sent: false } : { cause: trouble },
  );
}

function isLockTimeout(error: unknown): boolean {
  return (error as { code?: unknown }).code === '55P03';
}

/** The deposit vanished after the transaction was read. */
function startsOnVanished(error: unknown): boolean {
  return (error as { constraint?: unknown }).constraint === 'attempts_deposit_stands';
}

function toOutcome(row: CommitRow): CommitOutcome {
  switch (row.outcome) {
    case 'exists':
    case 'exists_different':
    case 'hash_claimed':
      return { outcome: row.outcome, transactionId: Number(row.transaction_id) };
    case 'limited':
      return { outcome: 'limited', reached: -Number(row.transaction_id) - 1 };
    case 'again':
      throw new Error('unreachable: a move to be sent again has no outcome');
    default:
      return { outcome: row.outcome };
  }
}
