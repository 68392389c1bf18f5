import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { publicStatusOf, type PublicStatus, type TransactionState } from '@vuka/domain';

import type { Road } from './payout-road.spec-support.js';

/** Cells of the golden copy, each choice by itself: state, event, condition ('' = else), what it does. */
export function goldenChoices(page: 'payout' | 'deposit' | 'refund', table: number): (readonly [state: string, event: string, when: string, then: string])[] {
  const text = readFileSync(join(import.meta.dirname, '../../../libs/domain/src/machine/golden', `${page}.md`), 'utf8');
  const block = text.split('\n\n').filter((one) => one.startsWith('|'))[table] ?? '';
  const [head = '', , ...rows] = block.trim().split('\n').map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()));
  return rows.flatMap(([states = '', ...cells]) =>
    cells.flatMap((cell, index) =>
      states.split(', ').flatMap((state) =>
        (head[index + 1] ?? '').split(', ').flatMap((event) =>
          cell.split(' / ').map((choice) => {
            const [, when = '', then = choice] = /^(.*?): (.*)$/.exec(choice) ?? [];
            return [state, event, when === 'else' ? '' : when, then] as const;
          }),
        ),
      ),
    ),
  );
}

export interface Seen {
  readonly state: TransactionState;
  readonly sequence: number;
  readonly postings: readonly string[];
  readonly incidents: number;
  readonly told: readonly unknown[];
}

/** Told though the public status stays. */
const BESIDE: Readonly<Record<string, string>> = { 'transaction.held': 'held', 'transaction.corrected': 'corrected' };

export async function look(trip: Road): Promise<Seen> {
  const { life } = (await trip.store.byId(trip.id))!;
  const incidents = (await trip.incidents()).reduce((sum, { times }) => sum + times, 0);
  return { state: life.state, sequence: life.sequence, postings: await trip.posted(), incidents, told: (await trip.told()).map(([type, , status]) => BESIDE[type as string] ?? status) };
}

/** What the golden words mean for the rows: `COMPLETE P5, REVERSED P8`, `!; poll again`, `record P9_unwind`. */
export function expected(before: Seen, then: string): Seen {
  const [words = ''] = then.split('; ');
  if (words === 'ignore' || words === 'refuse') return before;
  const isConflict = words.startsWith('!');
  const stays = isConflict || words.startsWith('record');
  const steps = stays ? [`${before.state} ${words.replace(/^(!|record) ?/, '')}`.trim()] : words.split(', ');
  let { state } = before;
  const told: (PublicStatus | 'held' | 'corrected')[] = [];
  const postings: string[] = [];
  for (const step of steps) {
    const [to = '', post = ''] = step.split(' ');
    const next = to as TransactionState;
    for (const name of post.split('+').filter((one) => one !== '')) postings.push(spelled(name, state));
    if (publicStatusOf(next) !== publicStatusOf(state)) told.push(publicStatusOf(next));
    // What screening has stopped comes with its deposit; of payments after the end the first is told.
    if (next === 'REVIEW' && post.includes('P2')) told.push('held');
    if (postings.includes('P9') && !before.told.includes('corrected')) told.push('corrected');
    state = next;
  }
  return {
    state,
    sequence: before.sequence + steps.length,
    postings: [...before.postings, ...postings.sort((a, b) => (referenceOrder(a) < referenceOrder(b) ? -1 : 1))],
    incidents: before.incidents + (isConflict ? 1 : 0),
    told: [...before.told, ...told],
  };
}

const referenceOrder = (name: string): string => name.toLowerCase().replaceAll('_', '-');

/** As the golden page says: P9 is ours unless the partner has its money back; wallet-funded money goes back to the wallet. */
function spelled(name: string, state: TransactionState): string {
  const isOwed = state === 'FAILED' || state === 'REVERSED';
  if (name === 'P6/P7') return 'P6';
  if (name === 'P9') return isOwed ? 'P9' : 'P9_ours';
  if (name === 'P9_unwind') return isOwed ? 'P9_unwind' : 'P9_ours_unwind';
  return name;
}
