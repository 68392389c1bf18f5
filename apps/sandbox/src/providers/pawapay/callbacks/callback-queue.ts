import type { SigningFault } from '../behaviour/behaviour.js';
import { DueQueue } from '../../book/due-queue.js';
import type { CallbackSettings } from '../settings.js';
import type { SimulatorClock } from '../simulator-clock.js';
import type { KeyRing } from './key-ring.js';
import { CONTENT_TYPE, digestOf, signedHeaders } from './signature.js';

export interface Callback {
  /** Of a payout or of a statement. */
  readonly id: string;
  readonly url: string;
  /** Built when it is first sent; tried again it says the same. */
  readonly body: () => string;
  readonly atMs: number;
  readonly signing?: SigningFault;
}

/** One POST, for who tests. */
export interface Delivery {
  readonly id: string;
  readonly atMs: number;
  readonly attempt: number;
  readonly signing: SigningFault | null;
  /** HTTP status; null: no answer. */
  readonly status: number | null;
}

interface Job {
  readonly callback: Callback;
  readonly attempt: number;
  readonly firstAtMs: number;
  readonly body: () => string;
}

const VALID_SECONDS = 60;

/** Callbacks by the time they are due. What is not answered 2xx is tried again as the settings say, then given up. */
export class CallbackQueue {
  readonly deliveries: Delivery[] = [];
  readonly #due = new DueQueue<Job>();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(
    private readonly settings: () => CallbackSettings,
    private readonly keys: KeyRing,
    private readonly clock: SimulatorClock,
  ) {}

  add(callback: Callback): void {
    let built: string | null = null;
    const body = (): string => (built ??= callback.body());
    this.#due.add(callback.atMs, { callback, attempt: 1, firstAtMs: callback.atMs, body });
  }

  get nextDueMs(): number {
    return this.#due.first?.atMs ?? Infinity;
  }

  /** Sends all that is due, without waiting for answers. */
  sendDue(): void {
    const { nowMs } = this.clock;
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

  async #send(job: Job, atMs: number): Promise<void> {
    const { callback, attempt } = job;
    const status = await this.#post(job);
    this.deliveries.push({ id: callback.id, atMs, attempt, signing: callback.signing ?? null, status });
    if (status !== null && status >= 200 && status < 300) return;
    const after = this.settings().retryAfterMs[attempt - 1];
    if (after !== undefined) this.#due.add(job.firstAtMs + after, { ...job, attempt: attempt + 1 });
  }

  /** The status; null where there was no answer. */
  async #post(job: Job): Promise<number | null> {
    const { headers, body } = this.#message(job);
    try {
      const response = await fetch(job.callback.url, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(this.settings().timeoutMs)]),
      });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return null;
    }
  }

  #message({ callback, body, attempt }: Job): { headers: Record<string, string>; body: string } {
    const { signing } = callback;
    const { signed, encoding, digest } = this.settings();
    const plain = { 'content-type': CONTENT_TYPE };
    if (signing === 'unsigned' || !signed) return { headers: plain, body: body() };
    if (signing === 'rotated' && attempt === 1) this.keys.rotate();
    const headers = {
      ...plain,
      ...signedHeaders({
        url: new URL(callback.url),
        body: body(),
        atMs: this.clock.nowMs - (signing === 'expired' ? 24 * 60 * 60 * 1_000 : 0),
        key: signing === 'forged' ? this.keys.forged : this.keys.current,
        encoding: signing === 'raw' || signing === 'der' ? signing : encoding,
        digest: signing === 'sha256' ? 'sha-256' : digest,
        validSeconds: VALID_SECONDS,
      }),
    };
    if (signing !== 'altered_body' && signing !== 'altered_digest') return { headers, body: body() };
    const altered = alter(body());
    return {
      headers: signing === 'altered_body' ? headers : { ...headers, 'content-digest': digestOf(altered, digest) },
      body: altered,
    };
  }
}

/** The same with another amount. */
function alter(body: string): string {
  const { amount, ...rest } = JSON.parse(body) as Record<string, unknown>;
  return JSON.stringify({ ...rest, amount: `1${String(amount)}` });
}
