import type { ConfiguredProvider } from '@vuka/payouts';
import { isDeepStrictEqual } from 'node:util';

/** Only what can be paid follows from them. Everything else is built into a connected provider. */
const READ_ANEW: ReadonlySet<string> = new Set(['countries', 'limits', 'accepts_stablecoin_funds']);

/**
 * What a running service does not take over, by its path in the new file. A provider that is gone could not be asked
 * about what is open; under another account it would not know it, and be paid a second time.
 */
export function changesThatNeedARestart(
  before: readonly ConfiguredProvider[],
  now: readonly ConfiguredProvider[],
): string[] {
  const gone = before.filter(({ id }) => !now.some((row) => row.id === id));
  return [
    ...now.flatMap((row, place) => {
      const old = before.find(({ id }) => id === row.id);
      if (old === undefined) return [`providers.${String(place)}: ${row.id} is new, which needs a restart`];
      return changedMembers(old, row).map((member) => `providers.${String(place)}.${member}: a change needs a restart`);
    }),
    ...gone.map(({ id }) => `providers: ${id} is gone, which needs a restart when nothing of it is open`),
  ];
}

function changedMembers(old: ConfiguredProvider, row: ConfiguredProvider): string[] {
  const [before, now] = [new Map(Object.entries(old)), new Map(Object.entries(row))];
  const members = [...new Set([...before.keys(), ...now.keys()])].filter((member) => !READ_ANEW.has(member));
  return members.filter((member) => !isDeepStrictEqual(before.get(member), now.get(member)));
}
