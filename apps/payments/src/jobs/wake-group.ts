import { WakeSignal } from '@vuka/platform';

/** One wake for several loops: each has a signal of its own, so that none takes another's wake. */
export class WakeGroup {
  private readonly members: WakeSignal[] = [];

  join(): WakeSignal {
    const signal = new WakeSignal();
    this.members.push(signal);
    return signal;
  }

  notify(): void {
    for (const member of this.members) member.notify();
  }
}
