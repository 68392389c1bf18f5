import { WakeSignal } from '@vuka/runtime';

/** Wakes for loops of one kind, one loop per rail: each has a signal of its own, so that none takes another's wake. */
export class WakeGroup {
  private readonly members = new Map<string, WakeSignal>();

  /** The signal of this provider's loop. */
  join(provider: string): WakeSignal {
    const signal = new WakeSignal();
    this.members.set(provider, signal);
    return signal;
  }

  /** Wakes the loop of this provider, or without one all of them. */
  notify(provider?: string): void {
    if (provider !== undefined) this.members.get(provider)?.notify();
    else for (const member of this.members.values()) member.notify();
  }
}
