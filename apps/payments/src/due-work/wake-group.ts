import { WakeSignal } from '@vuka/runtime';

/** One signal per provider's loop, so that none takes another's wake. */
export class WakeGroup {
  private readonly members = new Map<string, WakeSignal>();

  join(provider: string): WakeSignal {
    const signal = new WakeSignal();
    this.members.set(provider, signal);
    return signal;
  }

  /** Without a provider: all. */
  notify(provider?: string): void {
    if (provider !== undefined) this.members.get(provider)?.notify();
    else for (const member of this.members.values()) member.notify();
  }
}
