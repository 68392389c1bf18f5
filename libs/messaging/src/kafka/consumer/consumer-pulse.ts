import type { MonotonicClock } from '@vuka/runtime';

/**
 * For readiness and the watchdog: kafkajs may stop silently (#659), and an open connection proves nothing. An
 * answered heartbeat proves that the fetch loop runs, the coordinator answers and the membership holds.
 */
export class ConsumerPulse {
  private heardAt: number;
  private hasTimedOut = false;
  /** Per broker: one fetch loop may hang while others send heartbeats. */
  private readonly fetches = new Map<number, number>();

  public constructor(private readonly clock: MonotonicClock) {
    this.heardAt = clock.monotonicMs();
  }

  /** HEARTBEAT, GROUP_JOIN. */
  public heard(): void {
    this.heardAt = this.clock.monotonicMs();
    this.hasTimedOut = false;
  }

  /** REQUEST_TIMEOUT. */
  public timedOut(): void {
    this.hasTimedOut = true;
  }

  /** Requests got no answer since the last heartbeat. */
  public get isBrokers(): boolean {
    return this.hasTimedOut;
  }

  /** FETCH_START, FETCH. */
  public fetched(nodeId: number): void {
    this.fetches.set(nodeId, this.clock.monotonicMs());
  }

  public forgetFetches(): void {
    this.fetches.clear();
  }

  public get quietMs(): number {
    return this.clock.monotonicMs() - this.heardAt;
  }

  /** Why it counts as dead, or null. */
  public silence(afterMs: number): string | null {
    if (this.quietMs >= afterMs) return `no heartbeat was answered for ${this.quietMs} ms`;
    const now = this.clock.monotonicMs();
    for (const [nodeId, at] of this.fetches) {
      if (now - at >= afterMs) return `nothing was fetched from broker ${nodeId} for ${now - at} ms`;
    }
    return null;
  }
}
