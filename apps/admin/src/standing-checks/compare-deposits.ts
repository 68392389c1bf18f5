import { depositDifference, type DepositDifference, type DepositRecord } from '@vuka/domain';

export interface DepositSource {
  depositsAfter(id: number, limit: number): Promise<readonly DepositRecord[]>;
  depositsNamed(ids: readonly number[]): Promise<readonly DepositRecord[]>;
}

export interface CompareDepositsParts {
  readonly offramp: DepositSource;
  readonly payments: DepositSource;
  /** Stopped services handle no events, so an old difference may still be under way. */
  readonly isRunning: boolean;
  readonly now: () => Date;
  readonly pause: (ms: number) => Promise<unknown>;
  readonly pageSize?: number;
}

export interface DepositComparison {
  /** Deposits read from both services. */
  readonly compared: number;
  /** On the second reading; at most MOST_SHOWN. */
  readonly differences: readonly DepositDifference[];
  /** Explained by an event under way. */
  readonly underWay: number;
  /** More differences than are read twice. */
  readonly more: boolean;
}

const PAGE = 5_000;
const MOST_TWICE = 500;
const MOST_SHOWN = 20;
/** An event usually takes a second. */
const READ_AGAIN_AFTER_MS = 3_000;
/** The event may not be handled yet. */
const YOUNG_MS = 60_000;

/** Compares id, amount, asset and state page by page. A difference counts only if a second reading shows it again. */
export async function compareDeposits(parts: CompareDepositsParts): Promise<DepositComparison> {
  const { compared, differing, more } = await firstReading(parts);
  if (differing.length === 0) return { compared, differences: [], underWay: 0, more: false };
  if (parts.isRunning) await parts.pause(READ_AGAIN_AFTER_MS);
  const standing = await secondReading(parts, differing);
  const differences = standing.filter(({ isUnderWay }) => !isUnderWay).map(({ difference }) => difference);
  return {
    compared,
    differences: differences.slice(0, MOST_SHOWN),
    underWay: standing.length - differences.length,
    more: more || differences.length > MOST_SHOWN,
  };
}

async function firstReading({
  offramp,
  payments,
  pageSize = PAGE,
}: CompareDepositsParts): Promise<{ compared: number; differing: number[]; more: boolean }> {
  const differing: number[] = [];
  let compared = 0;
  for (let after = 0; ;) {
    // offramp first: later deposits are new to payments, too.
    const told = await offramp.depositsAfter(after, pageSize);
    const kept = await payments.depositsAfter(after, pageSize);
    const upTo = Math.min(
      ...[told, kept].filter((page) => page.length === pageSize).map((page) => page.at(-1)?.depositId ?? after),
    );
    const [ofOfframp, ofPayments] = [byId(told), byId(kept)];
    const ids = [...new Set([...ofOfframp.keys(), ...ofPayments.keys()])].filter((id) => id <= upTo);
    compared += ids.length;
    differing.push(...ids.filter((id) => depositDifference(ofOfframp.get(id), ofPayments.get(id)) !== undefined));
    if (upTo === Infinity)
      return { compared, differing: differing.slice(0, MOST_TWICE), more: differing.length > MOST_TWICE };
    after = upTo;
  }
}

async function secondReading(
  { offramp, payments, isRunning, now }: CompareDepositsParts,
  ids: readonly number[],
): Promise<{ difference: DepositDifference; isUnderWay: boolean }[]> {
  const ofOfframp = byId(await offramp.depositsNamed(ids));
  const ofPayments = byId(await payments.depositsNamed(ids));
  return ids.flatMap((id) => {
    const [told, kept] = [ofOfframp.get(id), ofPayments.get(id)];
    const difference = depositDifference(told, kept);
    if (difference === undefined) return [];
    const changedAt = Math.max(told?.changedAt.getTime() ?? 0, kept?.changedAt.getTime() ?? 0);
    return [{ difference, isUnderWay: difference.passing && (!isRunning || now().getTime() - changedAt < YOUNG_MS) }];
  });
}

function byId(records: readonly DepositRecord[]): ReadonlyMap<number, DepositRecord> {
  return new Map(records.map((record) => [record.depositId, record]));
}
