import { createHash } from 'node:crypto';

import type { BlockReference, ChainHeights, IncomingTransfer, Sighting } from '@vuka/domain';

/** What one endpoint told of a transaction. */
export type Testimony =
  /** It knows of none in a block, and its own newest block is fresh. */
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'seen';
      readonly succeeded: boolean;
      readonly block: BlockReference;
      readonly transfers: readonly IncomingTransfer[];
      readonly heights: ChainHeights;
      /** Of all of the above save the heights. */
      readonly digest: string;
    }
  /** It said nothing that could be believed. */
  | { readonly kind: 'nothing'; readonly why: string };

type Seen = Extract<Testimony, { kind: 'seen' }>;

/** SHA-256 over all that is judged by later. Two endpoints that saw the same have the same. */
export function digestOf({ succeeded, block, transfers }: Omit<Seen, 'kind' | 'digest' | 'heights'>): string {
  const logs = [...transfers].sort((a, b) => a.ordinal - b.ordinal).map(({ ordinal, token, from, value }) => [ordinal, token, from, value.toString()]);
  return createHash('sha256').update(JSON.stringify([succeeded, block.hash, block.number, block.timeMs, logs])).digest('hex');
}

/**
 * What `agree` of the endpoints say, as soon as nothing that is still to come could change it; undefined until then. `told` has a
 * place for each endpoint, undefined until it has spoken or failed.
 *
 * With fewer than `agree` liars among them, what is seen was seen by an honest one, and a height that is told was reached.
 */
export function verdictOf(told: readonly (Testimony | undefined)[], agree: number): Sighting | undefined {
  const heard = told.filter((one) => one !== undefined);
  const out = told.length - heard.length;
  const groups = [...groupsOf(heard).values()];
  const agreed = groups.filter(({ length }) => length >= agree);
  const isOpen = out >= agree || groups.some(({ length }) => length < agree && length + out >= agree);
  if (!isOpen && agreed.length === 1) return sightingOf(agreed.flat(), agree);
  const absent = heard.filter(({ kind }) => kind === 'absent').length;
  if (!isOpen && agreed.length === 0 && absent >= agree) return { kind: 'not_found' };
  return out > 0 ? undefined : { kind: 'trouble', reason: reasonOf(heard, agree) };
}

function groupsOf(heard: readonly Testimony[]): ReadonlyMap<string, readonly Seen[]> {
  const groups = new Map<string, Seen[]>();
  for (const testimony of heard) {
    if (testimony.kind !== 'seen') continue;
    const group = groups.get(testimony.digest);
    if (group === undefined) groups.set(testimony.digest, [testimony]);
    else group.push(testimony);
  }
  return groups;
}

function sightingOf(group: readonly Seen[], agree: number): Sighting {
  const [one] = group;
  const heights = agreedHeights(group.map(({ heights: told }) => told), agree);
  if (one === undefined || heights === undefined) throw new Error('an agreement of too few');
  const { succeeded, block, transfers } = one;
  return succeeded ? { kind: 'found', block, heights, transfers } : { kind: 'failed', block, heights };
}

/** The heights that `agree` of them have reached; undefined where fewer have told any. */
export function agreedHeights(told: readonly ChainHeights[], agree: number): ChainHeights | undefined {
  const latest = reachedBy(agree, told.map((heights) => heights.latest));
  if (latest === undefined) return undefined;
  const tagOf = (heights: readonly (number | null)[]): number | null =>
    // Known to none of them, a tag is none of the chain's; who does not tell what another one does has reached nothing.
    heights.every((height) => height === null) ? null : (reachedBy(agree, heights.map((height) => height ?? 0)) ?? null);
  return { latest, safe: tagOf(told.map(({ safe }) => safe)), finalized: tagOf(told.map(({ finalized }) => finalized)) };
}

function reachedBy(agree: number, heights: readonly number[]): number | undefined {
  return [...heights].sort((a, b) => b - a)[agree - 1];
}

/** For people: which endpoint said what, by its number. */
function reasonOf(heard: readonly Testimony[], agree: number): string {
  const told = heard.map((testimony, index) => `${String(index + 1)} ${testimony.kind === 'nothing' ? testimony.why : testimony.kind}`);
  return `${String(agree)} of ${String(heard.length)} endpoints must agree: ${told.join(', ')}`;
}

/**
 * Which of them told something of a block that others, who agree, tell otherwise: by their places. A block's hash
 * stands for all that is in it, so one of the two is wrong, whatever the network does.
 */
export function contradictions(told: readonly Testimony[], agree: number): readonly number[] {
  const agreed = [...groupsOf(told).values()].find(({ length }) => length >= agree)?.[0];
  if (agreed === undefined) return [];
  return told.flatMap((one, index) => (one.kind === 'seen' && one.block.hash === agreed.block.hash && one.digest !== agreed.digest ? [index] : []));
}
