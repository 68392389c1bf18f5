import { WakeSignal } from '@vuka/runtime';

/** Wakes for loops of one kind, one loop per rail: each has a signal of its own, so that none takes another's wake. */
export class WakeGroup {
  private readonly members = new Map<string, WakeSignal>();

  /** The signal of this rail's loop. */
  join(rail: string): WakeSignal {
    const signal = new WakeSignal();
    this.members.set(rail, signal);
    return signal;
  }

  /** Wakes the loop of this rail, or without one all of them. */
  notify(rail?: string): void {
    if (rail !== undefined) this.members.get(rail)?.notify();
    else for (const member of this.members.values()) member.notify();
  }
}
