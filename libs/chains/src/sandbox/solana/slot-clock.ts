export interface Anchor {
  readonly slot: number;
  readonly atMs: number;
}

export const SLOT_MS = 400;

/** Follows the clock unless moved or paused. Past slot times never change; no slot is in the future. */
export class SlotClock {
  private paused = false;

  constructor(
    private readonly anchors: Anchor[],
    private readonly now: () => number,
  ) {}

  get isPaused(): boolean {
    return this.paused;
  }

  get slot(): number {
    const { slot, atMs } = this.last;
    return this.paused ? slot : slot + Math.max(0, Math.floor((this.now() - atMs) / SLOT_MS));
  }

  /** Epoch ms; for future slots: now. */
  timeOf(slot: number): number {
    let low = 0;
    for (let high = this.anchors.length; high - low > 1;) {
      const middle = (low + high) >> 1;
      if ((this.anchors[middle]?.slot ?? 0) <= slot) low = middle;
      else high = middle;
    }
    const [anchor, next] = [this.anchors[low] ?? this.last, this.anchors[low + 1]];
    return Math.min(anchor.atMs + (slot - anchor.slot) * SLOT_MS, next?.atMs ?? this.now());
  }

  /** Returns what must be stored. */
  advance(slots: number): Anchor {
    return this.anchor(this.slot + slots);
  }

  pause(): Anchor {
    const slot = this.slot;
    const anchor = { slot, atMs: this.timeOf(slot) };
    this.restore(anchor, true);
    return anchor;
  }

  resume(): Anchor {
    const next = this.slot + 1;
    this.paused = false;
    return this.anchor(next);
  }

  restore(anchor: Anchor, paused: boolean): void {
    this.anchors.push(anchor);
    this.paused = paused;
  }

  private anchor(slot: number): Anchor {
    // A clock set back moves no slot.
    const anchor = { slot, atMs: Math.max(this.now(), this.last.atMs) };
    this.restore(anchor, this.paused);
    return anchor;
  }

  private get last(): Anchor {
    const last = this.anchors.at(-1);
    if (last === undefined) throw new Error('a chain begins somewhere');
    return last;
  }
}
