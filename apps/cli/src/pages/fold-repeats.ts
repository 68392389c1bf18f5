/** Items to show, or how often the cycle around it was left out. */
export type Stretch<T> =
  | { readonly kind: 'shown'; readonly items: readonly T[] }
  | { readonly kind: 'folded'; readonly times: number; readonly items: readonly T[] };

const LONGEST_CYCLE = 4;
const LEAST_TIMES = 4;
const LEAST_ITEMS = 8;

/**
 * Folds a repeating cycle (a payment may wait for float for four hours) to its first and last round and a count.
 * `sameness`: equal for equal steps of the cycle.
 */
export function foldRepeats<T>(items: readonly T[], sameness: (item: T) => string): Stretch<T>[] {
  const keys = items.map(sameness);
  const stretches: Stretch<T>[] = [];
  let shown: T[] = [];
  const push = (stretch: Stretch<T>): void => void (stretch.items.length > 0 && stretches.push(stretch));
  for (let at = 0; at < items.length;) {
    const cycle = cycleAt(keys, at);
    if (cycle === undefined) {
      shown.push(items[at] as T);
      at += 1;
      continue;
    }
    const { length, times } = cycle;
    const end = at + length * times;
    push({ kind: 'shown', items: [...shown, ...items.slice(at, at + length)] });
    push({ kind: 'folded', times: times - 2, items: items.slice(at + length, end - length) });
    shown = items.slice(end - length, end);
    at = end;
  }
  push({ kind: 'shown', items: shown });
  return stretches;
}

function cycleAt(keys: readonly string[], at: number): { length: number; times: number } | undefined {
  for (let length = 1; length <= LONGEST_CYCLE; length++) {
    let end = at + length;
    while (end < keys.length && keys[end] === keys[end - length]) end++;
    const times = Math.floor((end - at) / length);
    if (times >= LEAST_TIMES && times * length >= LEAST_ITEMS) return { length, times };
  }
  return undefined;
}
