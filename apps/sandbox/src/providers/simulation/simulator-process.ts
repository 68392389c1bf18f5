import { type AddressInfo, isIP } from 'node:net';

import type { FastifyInstance } from 'fastify';

import type { CallbackQueue } from './callback-queue.js';
import type { SimulatorClock } from './simulator-clock.js';

const MIN_TICK_MS = 10;
const MAX_TICK_MS = 250;

/** What the timer looks after. */
export interface Timed {
  readonly book: {
    readonly nextDueMs: number;
    settleDue(): void;
    /** Resolves when the journal is on the disk. */
    safe(): Promise<void> | undefined;
  };
  readonly callbacks: Pick<CallbackQueue<unknown>, 'nextDueMs' | 'sendDue'>;
  readonly clock: SimulatorClock;
}

/** Wakes when something is due, and now and then besides: the clock given may run differently from the timer. */
export function startTimer({ book, callbacks, clock }: Timed): () => void {
  let timer: NodeJS.Timeout;
  const tick = (): void => {
    book.settleDue();
    // Where the journal has failed, nothing is called back any more; it has been told.
    void Promise.resolve(book.safe()).then(
      () => callbacks.sendDue(),
      () => undefined,
    );
    const inMs = Math.min(book.nextDueMs, callbacks.nextDueMs) - clock.nowMs;
    timer = setTimeout(tick, Math.min(Math.max(inMs, MIN_TICK_MS), MAX_TICK_MS));
    timer.unref();
  };
  tick();
  return () => clearTimeout(timer);
}

/** Its URL. Port 0 is any free one. */
export async function listen(server: FastifyInstance, port: number, host: string, scheme: string): Promise<string> {
  await server.listen({ port, host });
  const { address, port: actual } = server.server.address() as AddressInfo;
  return `${scheme}://${isIP(address) === 6 ? `[${address}]` : address}:${actual}`;
}

export function once(fn: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  return () => (running ??= fn());
}
