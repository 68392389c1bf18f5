import type { ProfileId } from './provider-profile.js';

export type FailureCode = 'RECIPIENT_NOT_FOUND' | 'REJECTED' | 'EXPIRED' | 'CHANNEL_UNAVAILABLE';

export type Step = {
  /** ms after the step before; `released`: by the control API. */
  readonly after: number | 'released';
} & ({ readonly does: 'pay' | 'reverse' } | { readonly does: 'fail'; readonly code: FailureCode });

export interface Behaviour {
  /** At least one. */
  readonly steps: readonly Step[];
  /** Accepted, but the answer does not come in time. */
  readonly withholdsAnswer?: true;
  /** Refused without a top-up for the order. */
  readonly needsFloat?: true;
  readonly nameless?: true;
  /** Difference between the paid and the requested amount. */
  readonly besideHundredths?: bigint;
}

interface Row extends Behaviour {
  readonly onlyAt?: ProfileId;
}

const SECOND_MS = 1_000;
const pay: Step = { after: SECOND_MS, does: 'pay' };
const fail = (code: FailureCode, after = SECOND_MS): Step => ({ after, does: 'fail', code });

/** The last four digits decide. Never change these: partners' tests use them (docs/partners/sandbox.md). */
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

export const DEFAULT_BEHAVIOUR: Behaviour = { steps: [pay] };

export interface LookupBehaviour {
  readonly status: 'FOUND' | 'NOT_FOUND' | 'NAME_UNAVAILABLE';
  readonly withholdsAnswer?: true;
}

/** Never change these either. 0011 has no payout behaviour. */
export const LOOKUP_NUMBERS: Readonly<Record<string, LookupBehaviour>> = {
  '0000': { status: 'NOT_FOUND' },
  '0006': { status: 'NAME_UNAVAILABLE' },
  '0011': { status: 'FOUND', withholdsAnswer: true },
};

export const DEFAULT_LOOKUP: LookupBehaviour = { status: 'FOUND' };

/** Digits only; a short number has fewer than four. */
export function sandboxNumber(recipientNumber: string): string {
  return recipientNumber.replace(/\D/g, '').slice(-4);
}

export function behaviourOf(recipientNumber: string, at: ProfileId): Behaviour {
  const number = sandboxNumber(recipientNumber);
  const row = Object.hasOwn(SANDBOX_NUMBERS, number) ? SANDBOX_NUMBERS[number] : undefined;
  return row === undefined || (row.onlyAt ?? at) !== at ? DEFAULT_BEHAVIOUR : row;
}

export function lookupBehaviourOf(recipientNumber: string): LookupBehaviour {
  const number = sandboxNumber(recipientNumber);
  return (Object.hasOwn(LOOKUP_NUMBERS, number) ? LOOKUP_NUMBERS[number] : undefined) ?? DEFAULT_LOOKUP;
}

/** `TEST <digits>` (decisions.md section 7). */
export function recipientName(recipientNumber: string): string {
  return `TEST ${sandboxNumber(recipientNumber)}`;
}
