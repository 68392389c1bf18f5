import { type Clock, type Logger, runLoop, type RunningLoop, WakeSignal } from '@vuka/runtime';

import { deliver, type DeliveryOptions, type HandlerEnd } from '../delivery/delivery.js';
import type { Subscription } from '../delivery/subscription.js';
import type { RequestedReplay } from './dead-letters.js';

export interface ReplayOptions extends DeliveryOptions {
  readonly log: Logger;
  readonly clock: Clock;
  readonly replayPollMs: number;
  /** False: another process of the group replays. */
  readonly isMine?: () => boolean;
}

const BATCH = 20;
const STOP_WITHIN_MS = 5_000;

/**
 * Replays requested dead letters one by one, one try each. It is late: newer events of its key are handled or
 * running. A crash before the mark repeats it; the inbox drops that.
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

  /** Waits at most 5 s. An unfinished one is replayed after the next start. */
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
    const { eventId, topic, key, requestedBy } = deadLetter;
    const facts = { group, topic, aggregateId: key, eventId, requested_by: requestedBy };
    const outcome = await this.handOver(deadLetter);
    if (outcome.kind === 'handled') {
      await deadLetters.replayed(group, eventId, this.options.clock.now());
      this.options.log.info(facts, 'dead letter was replayed');
      return 'done';
    }
    const { detail } = outcome;
    // The event may be the cause: report it instead of retrying for ever.
    if (outcome.kind === 'outage' && !outcome.isCancelled) {
      this.options.log.warn({ ...facts, detail }, 'the replay of a dead letter waits for a database');
      return 'outage';
    }
    const reason = outcome.kind === 'refused' ? outcome.reason : 'tries_exhausted';
    await deadLetters.replayFailed(group, eventId, { reason, detail });
    this.options.log.error(
      { code: 'replay_failed', ...facts, reason, detail },
      'a replayed event failed again and stays a dead letter',
    );
    return 'done';
  }

  /** Whoever wrote it must have a key that is known today: of a stranger's event nothing is ever handled. */
  private async handOver({ topic, envelope, macs }: RequestedReplay): Promise<HandlerEnd> {
    const fault = this.subscription.authors?.faultOf(topic, envelope, macs) ?? null;
    if (fault !== null) return { kind: 'refused', reason: 'foreign', detail: fault };
    const row = { topic, bytes: Buffer.byteLength(envelope), text: envelope };
    const first = await deliver(row, this.subscription, this.options);
    // It may still succeed.
    return first.kind === 'late' ? first.end : first;
  }
}
