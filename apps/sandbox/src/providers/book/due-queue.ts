/** Equal times: first added comes first. */
interface Item<T> {
  readonly atMs: number;
  readonly order: number;
  readonly what: T;
}

/** A binary heap. */
export class DueQueue<T> {
  readonly #heap: Item<T>[] = [];
  #added = 0;

  add(atMs: number, what: T): void {
    const item = { atMs, order: (this.#added += 1), what };
    let place = this.#heap.push(item) - 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (isBefore(this.#at(above), item)) break;
      this.#heap[place] = this.#at(above);
      place = above;
    }
    this.#heap[place] = item;
  }

  get first(): { readonly atMs: number; readonly what: T } | undefined {
    return this.#heap[0];
  }

  removeFirst(): void {
    const last = this.#heap.pop();
    const { length } = this.#heap;
    if (last === undefined || length === 0) return;
    let place = 0;
    for (let below = 1; below < length; below = 2 * place + 1) {
      if (below + 1 < length && isBefore(this.#at(below + 1), this.#at(below))) below += 1;
      if (isBefore(last, this.#at(below))) break;
      this.#heap[place] = this.#at(below);
      place = below;
    }
    this.#heap[place] = last;
  }

  #at(place: number): Item<T> {
    return this.#heap[place] as Item<T>;
  }
}

function isBefore<T>(a: Item<T>, b: Item<T>): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
