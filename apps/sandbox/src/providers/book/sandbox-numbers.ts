import type { ProfileId } from './provider-profile.js';

/** Why a payout failed, in the provider's words. */
export type FailureCode = 'RECIPIENT_NOT_FOUND' | 'REJECTED' | 'EXPIRED' | 'CHANNEL_UNAVAILABLE';

/** Something that happens to a payout, so long after it was accepted, or after the step before. */
export type Step = {
  /** Milliseconds; `released`: not before the provider's control says so. */
  readonly after: number | 'released';
} & ({ readonly does: 'pay' | 'reverse' } | { readonly does: 'fail'; readonly code: FailureCode });

/** What this provider does with payouts to one number. */
export interface Behaviour {
  /** In order, at least one. */
  readonly steps: readonly Step[];
  /** Taken, but the submit is not answered in time. */
  readonly withholdsAnswer?: true;
  /** Refused unless the control has topped up float for this order. */
  readonly needsFloat?: true;
  /** The name cannot be told. */
  readonly nameless?: true;
  /** What the provider's record and payment have beside the amount asked for, in hundredths. */
  readonly besideHundredths?: bigint;
}

interface Row extends Behaviour {
  /** Only at this provider; at the other one the number is like all else. */
  readonly onlyAt?: ProfileId;
}

const SECOND_MS = 1_000;
const pay: Step = { after: SECOND_MS, does: 'pay' };
const fail = (code: FailureCode, after = SECOND_MS): Step => ({ after, does: 'fail', code });

/**
 * The sandbox numbers: the last four digits of the recipient's number decide. Stable for ever, because partners' tests
 * are written against them (docs/partners/sandbox.md).
 */
export const SANDBOX_NUMBERS: Readonly<Record<string, Row>> = {
  '0000': { steps: [fail('RECIPIENT_NOT_FOUND')] },
  '0001': { steps: [fail('REJECTED')] },
  '0002': { withholdsAnswer: true, steps: [{ after: 4 * SECOND_MS, does: 'pay' }] },
  '0003': { withholdsAnswer: true, steps: [fail('EXPIRED', 4 * SECOND_MS)] },
  '0004': { steps: [{ after: 'released', does: 'pay' }] },
  '0005': { steps: [pay, { after: 2 * SECOND_MS, does: 'reverse' }] },
  '0006': { nameless: true, steps: [pay] },
  '0007': { needsFloat: true, steps: [pay] },
  '0008': { steps: [pay, { after: 2 * SECOND_MS, does: 'pay' }] },
  '0009': { besideHundredths: 100n, steps: [pay] },
  '0010': { onlyAt: 'sandbox', steps: [fail('CHANNEL_UNAVAILABLE')] },
};

/** All other numbers. */
export const DEFAULT_BEHAVIOUR: Behaviour = { steps: [pay] };

/** What this provider answers to who asks for the name of a number. */
export interface LookupBehaviour {
  readonly status: 'FOUND' | 'NOT_FOUND' | 'NAME_UNAVAILABLE';
  /** Taken, but not answered in time. */
  readonly withholdsAnswer?: true;
}

/** The same digits where names are asked for, at both providers; stable for ever, too. 0011 is no number of payouts. */
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

/** What this provider does with a payout to the number. */
export function behaviourOf(recipientNumber: string, at: ProfileId): Behaviour {
  const number = sandboxNumber(recipientNumber);
  const row = Object.hasOwn(SANDBOX_NUMBERS, number) ? SANDBOX_NUMBERS[number] : undefined;
  return row === undefined || (row.onlyAt ?? at) !== at ? DEFAULT_BEHAVIOUR : row;
}

export function lookupBehaviourOf(recipientNumber: string): LookupBehaviour {
  const number = sandboxNumber(recipientNumber);
  return (Object.hasOwn(LOOKUP_NUMBERS, number) ? LOOKUP_NUMBERS[number] : undefined) ?? DEFAULT_LOOKUP;
}

/** The name of whoever has the number: `TEST <digits>` (decisions.md section 7). */
export function recipientName(recipientNumber: string): string {
  return `TEST ${sandboxNumber(recipientNumber)}`;
}
