import { createHash } from 'node:crypto';

import type { ChainHeights, SightedTransfer, Sighting } from '@vuka/domain';

import type { BlockAt, Scan } from '../deposit-reader.js';

import type { BlockTestimony, PageTestimony, Testimony } from './endpoint.js';

type Seen = Extract<Testimony, { kind: 'seen' }>;
type Page = Extract<PageTestimony, { kind: 'page' }>;
type Reorganised = Extract<PageTestimony, { kind: 'reorganised' }>;

const transferWords = ({ ordinal, token, from, alsoFrom = [], value }: SightedTransfer): unknown[] => [
  ordinal,
  token,
  from,
  [...alsoFrom].sort(),
  value.toString(),
];

/** Over all that is judged later: equal digests mean agreement. */
export function digestOf({
  succeeded,
  block,
  transfers,
  transactionId = null,
}: Omit<Seen, 'kind' | 'digest' | 'heights' | 'transactionId'> & { readonly transactionId?: string | null }): string {
  const logs = [...transfers].sort((a, b) => a.ordinal - b.ordinal).map(transferWords);
  return sha256([succeeded, block.hash, block.number, block.timeMs, logs, transactionId]);
}

/** Independent of order. */
export function pageDigest(page: Omit<Page, 'kind' | 'digest'> | Omit<Reorganised, 'kind' | 'digest'>): string {
  if ('back' in page) return sha256(['reorganised', page.back, page.aboveBlock, page.scannedTo]);
  const incomingTransfers = page.incomingTransfers.map(({ transactionId, address, block, ...transfer }) =>
    JSON.stringify([transactionId, address, block.hash, block.number, block.timeMs, ...transferWords(transfer)]),
  );
  return sha256(['page', page.next, page.isAtHead, page.scannedTo, incomingTransfers.sort()]);
}

function sha256(words: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(words)).digest('hex');
}

/**
 * undefined while a missing answer could change the verdict. `told` has one place per endpoint. With fewer
 * than `agree` liars, an honest endpoint saw what is reported.
 */
export function verdictOf(told: readonly (Testimony | undefined)[], agree: number): Sighting | undefined {
  const heard = told.filter((one) => one !== undefined);
  const out = told.length - heard.length;
  const { agreed, isOpen } = agreementOf(
    heard.filter((one) => one.kind === 'seen'),
    out,
    agree,
  );
  const [group] = agreed;
  if (!isOpen && group !== undefined && agreed.length === 1) return sightingOf(group, agree);
  const absent = heard.filter(({ kind }) => kind === 'absent').length;
  if (!isOpen && agreed.length === 0 && absent >= agree) return { kind: 'not_found' };
  return out > 0 ? undefined : { kind: 'trouble', reason: reasonOf(heard, agree) };
}

/** One that has it in a block outweighs absent and failed. */
export function wholeVerdictOf(told: readonly Testimony[], agree: number): Sighting {
  const verdict = verdictOf(told, agree);
  if (verdict === undefined) throw new Error('all have spoken');
  const denies = verdict.kind === 'not_found' || verdict.kind === 'failed';
  return denies && told.some((one) => one.kind === 'seen' && one.succeeded)
    ? { kind: 'trouble', reason: reasonOf(told, agree) }
    : verdict;
}

export function blockVerdictOf(told: readonly (BlockTestimony | undefined)[], agree: number): BlockAt | undefined {
  const heard = told.filter((one) => one !== undefined);
  const out = told.length - heard.length;
  const { agreed, isOpen } = agreementOf(
    heard.filter((one) => one.kind === 'block'),
    out,
    agree,
  );
  const [said] = agreed[0] ?? [];
  if (!isOpen && said !== undefined && agreed.length === 1) return { kind: 'block', hash: said.hash };
  return out > 0 ? undefined : { kind: 'trouble', reason: reasonOf(heard, agree) };
}

/** `too_large`: a smaller page may succeed. */
export function pageVerdictOf(
  told: readonly (PageTestimony | undefined)[],
  agree: number,
): Scan | { readonly kind: 'too_large' } | undefined {
  const heard = told.filter((one) => one !== undefined);
  const out = told.length - heard.length;
  const { agreed, isOpen } = agreementOf(
    heard.filter((one) => one.kind === 'page' || one.kind === 'reorganised'),
    out,
    agree,
  );
  const [said] = agreed[0] ?? [];
  if (!isOpen && said !== undefined && agreed.length === 1) return scanOf(said);
  if (out > 0) return undefined;
  return heard.some(({ kind }) => kind === 'too_large')
    ? { kind: 'too_large' }
    : { kind: 'trouble', reason: reasonOf(heard, agree) };
}

function scanOf(said: Page | Reorganised): Scan {
  if (said.kind === 'reorganised')
    return { kind: 'reorganised', back: said.back, aboveBlock: said.aboveBlock, scannedTo: said.scannedTo };
  return {
    kind: 'page',
    incomingTransfers: said.incomingTransfers,
    next: said.next,
    isAtHead: said.isAtHead,
    scannedTo: said.scannedTo,
  };
}

/** `isOpen`: missing answers could form another group. */
function agreementOf<Said extends { readonly digest: string }>(
  said: readonly Said[],
  out: number,
  agree: number,
): { readonly agreed: readonly (readonly Said[])[]; readonly isOpen: boolean } {
  const groups = groupsOf(said);
  const isOpen = out >= agree || groups.some(({ length }) => length < agree && length + out >= agree);
  return { agreed: groups.filter(({ length }) => length >= agree), isOpen };
}

function groupsOf<Said extends { readonly digest: string }>(said: readonly Said[]): readonly (readonly Said[])[] {
  const groups = new Map<string, Said[]>();
  for (const one of said) {
    const group = groups.get(one.digest);
    if (group === undefined) groups.set(one.digest, [one]);
    else group.push(one);
  }
  return [...groups.values()];
}

function sightingOf(group: readonly Seen[], agree: number): Sighting {
  const [one] = group;
  const heights = agreedHeights(
    group.map(({ heights: told }) => told),
    agree,
  );
  if (one === undefined || heights === undefined) throw new Error('an agreement of too few');
  const { succeeded, block, transfers, transactionId } = one;
  if (!succeeded) return { kind: 'failed', block, heights };
  return { kind: 'found', block, heights, transfers, ...(transactionId !== undefined && { transactionId }) };
}

export function agreedHeights(told: readonly ChainHeights[], agree: number): ChainHeights | undefined {
  const latest = reachedBy(
    agree,
    told.map((heights) => heights.latest),
  );
  if (latest === undefined) return undefined;
  const tagOf = (heights: readonly (number | null)[]): number | null =>
    // Known to none: the chain has no such tag. Otherwise silent endpoints count as not reached.
    heights.every((height) => height === null)
      ? null
      : (reachedBy(
          agree,
          heights.map((height) => height ?? 0),
        ) ?? null);
  return {
    latest,
    safe: tagOf(told.map(({ safe }) => safe)),
    finalized: tagOf(told.map(({ finalized }) => finalized)),
  };
}

function reachedBy(agree: number, heights: readonly number[]): number | undefined {
  return [...heights].sort((a, b) => b - a)[agree - 1];
}

/** For people, by endpoint number. */
function reasonOf(heard: readonly { readonly kind: string; readonly why?: string }[], agree: number): string {
  const told = heard.map(({ kind, why }, index) => `${String(index + 1)} ${why ?? kind}`);
  return `${String(agree)} of ${String(heard.length)} endpoints must agree: ${told.join(', ')}`;
}

/**
 * Places of endpoints that contradict the agreed content of a block. The hash fixes the content, so one side
 * is wrong.
 */
export function contradictions(told: readonly Testimony[], agree: number): readonly number[] {
  const agreed = groupsOf(told.filter((one) => one.kind === 'seen')).find(({ length }) => length >= agree)?.[0];
  if (agreed === undefined) return [];
  return told.flatMap((one, index) =>
    one.kind === 'seen' && one.block.hash === agreed.block.hash && one.digest !== agreed.digest ? [index] : [],
  );
}
