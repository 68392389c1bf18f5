import { SECOND_RAIL_ONCE_IN } from './earlier-rules.js';
import type { ProfileId } from './rail-profile.js';

/** Why a payout failed, in the rail's words. */
export type FailureCode = 'RECIPIENT_NOT_FOUND' | 'REJECTED' | 'EXPIRED' | 'CHANNEL_UNAVAILABLE';

/** Something that happens to a payout, so long after it was accepted, or after the step before. */
export type Step = {
  /** Milliseconds; `released`: not before the rail's control says so. */
  readonly after: number | 'released';
} & ({ readonly does: 'pay' | 'reverse' } | { readonly does: 'fail'; readonly code: FailureCode });

/** What this rail does with payouts to one number. */
export interface Behaviour {
  /** In order, at least one. */
  readonly steps: readonly Step[];
  /** Taken, but the submit is not answered in time. */
  readonly withholdsAnswer?: true;
  /** Refused unless the control has topped up float for this order. */
  readonly needsFloat?: true;
  /** The name cannot be told. */
  readonly nameless?: true;
  /** What the rail's record and payment have beside the amount asked for, in hundredths. */
  readonly besideHundredths?: bigint;
}

interface Row extends Behaviour {
  /** The rules (see RULES) it came with: payouts accepted under older ones go on as they began. */
  readonly since: number;
  /** Only at this rail; at the other one the number is like all else. */
  readonly onlyAt?: ProfileId;
  /** In all currencies since these rules; before, only where there was a second rail: elsewhere the number was like all else. */
  readonly everywhereSince?: number;
}

const SECOND_MS = 1_000;
const pay: Step = { after: SECOND_MS, does: 'pay' };
const fail = (code: FailureCode, after = SECOND_MS): Step => ({ after, does: 'fail', code });

/**
 * The sandbox numbers: the last four digits of the recipient's number decide. Stable for ever, because partners' tests
 * are written against them (docs/sandbox-rail.md).
 */
export const SANDBOX_NUMBERS: Readonly<Record<string, Row>> = {
  '0000': { since: 1, steps: [fail('RECIPIENT_NOT_FOUND')] },
  '0001': { since: 1, steps: [fail('REJECTED')] },
  '0002': { since: 2, withholdsAnswer: true, steps: [{ after: 4 * SECOND_MS, does: 'pay' }] },
  '0003': { since: 2, withholdsAnswer: true, steps: [fail('EXPIRED', 4 * SECOND_MS)] },
  '0004': { since: 2, steps: [{ after: 'released', does: 'pay' }] },
  '0005': { since: 2, steps: [pay, { after: 2 * SECOND_MS, does: 'reverse' }] },
  '0006': { since: 2, nameless: true, steps: [pay] },
  '0007': { since: 2, needsFloat: true, steps: [pay] },
  '0008': { since: 2, steps: [pay, { after: 2 * SECOND_MS, does: 'pay' }] },
  '0009': { since: 2, besideHundredths: 100n, steps: [pay] },
  '0010': { since: 2, everywhereSince: 3, onlyAt: 'sandbox', steps: [fail('CHANNEL_UNAVAILABLE')] },
};

/** The table's version, kept with each payout. Add one when the table changes, and let the row say since when. */
export const RULES = 3;

/** All other numbers. */
export const DEFAULT_BEHAVIOUR: Behaviour = { steps: [pay] };

/** What this rail answers to who asks for the name of a number. */
export interface LookupBehaviour {
  readonly status: 'FOUND' | 'NOT_FOUND' | 'NAME_UNAVAILABLE';
  /** Taken, but not answered in time. */
  readonly withholdsAnswer?: true;
}

/** The same digits where names are asked for, at both rails; stable for ever, too. 0011 is no number of payouts. */
export const LOOKUP_NUMBERS: Readonly<Record<string, LookupBehaviour>> = {
  '0000': { status: 'NOT_FOUND' },
  '0006': { status: 'NAME_UNAVAILABLE' },
  '0011': { status: 'FOUND', withholdsAnswer: true },
};

/** All other numbers. */
export const DEFAULT_LOOKUP: LookupBehaviour = { status: 'FOUND' };

/** The last four digits of a recipient's number; letters and dashes are skipped, a short number has fewer. */
export function sandboxNumber(recipientNumber: string): string {
  return recipientNumber.replace(/\D/g, '').slice(-4);
}

/** What this rail does with a payout of that currency to the number, accepted under these rules. */
export function behaviourOf(recipientNumber: string, currency: string, at: ProfileId, rules = RULES): Behaviour {
  const number = sandboxNumber(recipientNumber);
  const row = Object.hasOwn(SANDBOX_NUMBERS, number) ? SANDBOX_NUMBERS[number] : undefined;
  if (row === undefined || row.since > rules || (row.onlyAt ?? at) !== at) return DEFAULT_BEHAVIOUR;
  return (row.everywhereSince ?? 0) > rules && currency !== SECOND_RAIL_ONCE_IN ? DEFAULT_BEHAVIOUR : row;
}

export function lookupBehaviourOf(recipientNumber: string): LookupBehaviour {
  const number = sandboxNumber(recipientNumber);
  return (Object.hasOwn(LOOKUP_NUMBERS, number) ? LOOKUP_NUMBERS[number] : undefined) ?? DEFAULT_LOOKUP;
}

/** The name of whoever has the number: `TEST <digits>` (decisions.md section 7). */
export function recipientName(recipientNumber: string): string {
  return `TEST ${sandboxNumber(recipientNumber)}`;
}
