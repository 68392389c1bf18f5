/** From here on time runs at the chain's pace. */
export interface Anchor {
  readonly slot: number;
  readonly atMs: number;
}

export const SLOT_MS = 400;

/**
 * Slots as the clock has them, save where somebody jumped ahead or stopped them. What it said of a slot's time stays true, and no slot
 * is later than the clock.
 */
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

  /** When a slot began, epoch milliseconds; of the future: now. */
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

  /** What has to be kept of a change. */
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
    // A clock that was put back moves no slot back.
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
