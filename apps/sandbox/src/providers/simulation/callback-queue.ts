import { DueQueue } from '../book/due-queue.js';
import type { SimulatorClock } from './simulator-clock.js';

export interface Callback<Signing> {
  /** Of what it is about. */
  readonly id: string;
  readonly url: string;
  /** Built when it is first sent; tried again it says the same. */
  readonly body: () => string;
  readonly atMs: number;
  readonly signing?: Signing;
  /** Told of each try, unless the queue was closed; null: no answer. */
  readonly onAnswer?: (status: number | null) => void;
}

/** One POST, for who tests. */
export interface Delivery<Signing> {
  readonly id: string;
  readonly atMs: number;
  readonly attempt: number;
  readonly signing: Signing | null;
  /** HTTP status; null: no answer. */
  readonly status: number | null;
}

export interface Message {
  readonly headers: Record<string, string>;
  readonly body: string;
}

export interface CallbackTiming {
  /** When it is tried again, from the first time on, while it is not heard. */
  readonly retryAfterMs: readonly number[];
  readonly timeoutMs: number;
}

export interface CallbackQueueOptions<Signing> {
  readonly clock: SimulatorClock;
  readonly timing: () => CallbackTiming;
  /** What is sent: the body as it is called for, signed as the provider signs. */
  readonly message: (callback: Callback<Signing>, body: string, attempt: number) => Message;
  /** Default: any 2xx. */
  readonly isHeard?: (status: number) => boolean;
}

interface Job<Signing> {
  readonly callback: Callback<Signing>;
  readonly attempt: number;
  readonly firstAtMs: number;
  readonly body: () => string;
}

/** Callbacks by the time they are due. What is not heard is tried again as the timing says, then given up. */
export class CallbackQueue<Signing> {
  readonly deliveries: Delivery<Signing>[] = [];
  readonly #due = new DueQueue<Job<Signing>>();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(private readonly options: CallbackQueueOptions<Signing>) {}

  add(callback: Callback<Signing>): void {
    let built: string | null = null;
    const body = (): string => (built ??= callback.body());
    this.#due.add(callback.atMs, { callback, attempt: 1, firstAtMs: callback.atMs, body });
  }

  get nextDueMs(): number {
    return this.#due.first?.atMs ?? Infinity;
  }

  /** Sends all that is due, without waiting for answers. */
  sendDue(): void {
    const { nowMs } = this.options.clock;
    for (let next = this.#due.first; next !== undefined && next.atMs <= nowMs; next = this.#due.first) {
      this.#due.removeFirst();
      const sending = this.#send(next.what, next.atMs).finally(() => this.#inFlight.delete(sending));
      this.#inFlight.add(sending);
    }
  }

  /** Until everything that is due, what follows from it included, has been answered or given up. */
  async delivered(): Promise<void> {
    for (this.sendDue(); this.#inFlight.size > 0; this.sendDue()) await Promise.all(this.#inFlight);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#inFlight);
  }

  async #send(job: Job<Signing>, atMs: number): Promise<void> {
    const { callback, attempt } = job;
    const { isHeard = isSuccess, timing } = this.options;
    const status = await this.#post(job);
    this.deliveries.push({ id: callback.id, atMs, attempt, signing: callback.signing ?? null, status });
    if (!this.#stop.signal.aborted) callback.onAnswer?.(status);
    if (status !== null && isHeard(status)) return;
    const after = timing().retryAfterMs[attempt - 1];
    if (after !== undefined) this.#due.add(job.firstAtMs + after, { ...job, attempt: attempt + 1 });
  }

  /** The status; null where there was no answer. */
  async #post({ callback, body, attempt }: Job<Signing>): Promise<number | null> {
    const message = this.options.message(callback, body(), attempt);
    try {
      const response = await fetch(callback.url, {
        ...message,
        method: 'POST',
        redirect: 'manual',
        signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(this.options.timing().timeoutMs)]),
      });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return null;
    }
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;
