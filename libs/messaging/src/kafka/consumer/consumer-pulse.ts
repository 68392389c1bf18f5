import type { MonotonicClock } from '@vuka/runtime';

/**
 * What was heard of a consumer, and when. Readiness and the watchdog go by this, because kafkajs may stop without a word
 * (#659) and an open connection proves nothing. A heartbeat that was answered proves three things at once: the loop that
 * fetches still turns (nothing else sends heartbeats), the coordinator answers, and the member is one of its group.
 */
export class ConsumerPulse {
  private heardAt: number;
  private hasTimedOut = false;
  /** When each broker's fetch loop last began or ended a fetch: one of several may hang while the others beat. */
  private readonly fetches = new Map<number, number>();

  public constructor(private readonly clock: MonotonicClock) {
    this.heardAt = clock.monotonicMs();
  }

  /** HEARTBEAT, GROUP_JOIN: the coordinator answered. */
  public heard(): void {
    this.heardAt = this.clock.monotonicMs();
    this.hasTimedOut = false;
  }

  /** REQUEST_TIMEOUT: somebody was asked and did not answer. */
  public timedOut(): void {
    this.hasTimedOut = true;
  }

  /** True where the silence is the brokers': asked since they were last heard, they did not answer. */
  public get isBrokers(): boolean {
    return this.hasTimedOut;
  }

  /** FETCH_START, FETCH. */
  public fetched(nodeId: number): void {
    this.fetches.set(nodeId, this.clock.monotonicMs());
  }

  /** A new assignment has new fetch loops. */
  public forgetFetches(): void {
    this.fetches.clear();
  }

  /** Milliseconds since the coordinator answered. */
  public get quietMs(): number {
    return this.clock.monotonicMs() - this.heardAt;
  }

  /** Why it must be taken for dead, or null. */
  public silence(afterMs: number): string | null {
    if (this.quietMs >= afterMs) return `no heartbeat was answered for ${this.quietMs} ms`;
    const now = this.clock.monotonicMs();
    for (const [nodeId, at] of this.fetches) {
      if (now - at >= afterMs) return `nothing was fetched from broker ${nodeId} for ${now - at} ms`;
    }
    return null;
  }
}
