import { type Clock, type Logger, runLoop, type RunningLoop, WakeSignal } from '@vuka/runtime';

import { deliver, type DeliveryOptions } from '../delivery/delivery.js';
import type { Subscription } from '../delivery/subscription.js';
import type { RequestedReplay } from './dead-letters.js';

export interface ReplayOptions extends DeliveryOptions {
  readonly log: Logger;
  readonly clock: Clock;
  /** How often it looks for requests. */
  readonly replayPollMs: number;
  /** Where a group has several processes: whether this one is to replay now. */
  readonly isMine?: () => boolean;
}

/** Letters of one look: a request for thousands is worked off in as many looks, each a lookup in a partial index. */
const BATCH = 20;
const STOP_WITHIN_MS = 5_000;

/**
 * Hands a group's dead letters over again, those that somebody asked for: one after the other, one try each, by the way
 * of every event. A replayed event is late: newer ones of its key were handled long ago, or are being handled now.
 * A crash between the handler and the mark repeats it, which the inbox knows.
 */
export class ReplayDeadLetters {
  private readonly signal = new WakeSignal();
  private loop: RunningLoop | undefined;
  private isStopping = false;

  public constructor(
    private readonly subscription: Subscription,
    private readonly options: ReplayOptions,
  ) {}

  public start(): void {
    const { log, replayPollMs } = this.options;
    const name = `replay-dead-letters ${this.subscription.group}`;
    this.loop = runLoop({ name, tick: () => this.tick(), signal: this.signal, idleMs: replayPollMs, log });
  }

  /** Ends after the dead letter under way, or after 5 s: it is handed over again after the next start. */
  public async stop(): Promise<void> {
    this.isStopping = true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_WITHIN_MS);
    });
    await Promise.race([this.loop?.stop(), late]);
    clearTimeout(timer);
  }

  private async tick(): Promise<boolean> {
    const { deadLetters, group } = this.subscription;
    if (this.options.isMine?.() === false) return false;
    const requested = await deadLetters.requested(group, BATCH);
    for (const deadLetter of requested) {
      if (this.isStopping || (await this.replay(deadLetter)) === 'outage') return false;
    }
    return requested.length === BATCH;
  }

  private async replay(deadLetter: RequestedReplay): Promise<'done' | 'outage'> {
    const { deadLetters, group } = this.subscription;
    const { eventId, topic, key, envelope, requestedBy } = deadLetter;
    const facts = { group, topic, aggregateId: key, eventId, requested_by: requestedBy };
    const bytes = Buffer.byteLength(envelope);
    const first = await deliver({ topic, bytes, text: envelope }, this.subscription, this.options);
    // What still goes on is not told to have failed: it may be handled yet.
    const outcome = first.kind === 'late' ? await first.end : first;
    if (outcome.kind === 'handled') {
      await deadLetters.replayed(group, eventId, this.options.clock.now());
      this.options.log.info(facts, 'dead letter was replayed');
      return 'done';
    }
    const { detail } = outcome;
    // A statement that ran out of its time may be the event's own doing: whoever asked is told, instead of trying for ever.
    if (outcome.kind === 'outage' && !outcome.isCancelled) {
      this.options.log.warn({ ...facts, detail }, 'replay of a dead letter waits for a database');
      return 'outage';
    }
    const reason = outcome.kind === 'refused' ? outcome.reason : 'tries_exhausted';
    await deadLetters.replayFailed(group, eventId, { reason, detail });
    this.options.log.error(
      { code: 'replay_failed', ...facts, reason, detail },
      'replayed event failed again and stays a dead letter',
    );
    return 'done';
  }
}
