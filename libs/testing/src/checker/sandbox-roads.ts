/**
 * Every sandbox number with what is documented of it (docs/partners/sandbox.md), written down here a second time: the suites
 * hold the system to it, and the coverage page counts the cells that these roads go through.
 */
export type RoadEnd = 'COMPLETE' | 'FAILED' | 'REVERSED' | 'PROCESSING';

export interface SandboxRoad {
  /** The last four digits; '' for all other numbers. */
  readonly number: string;
  /** What the rail does, in a few words. */
  readonly rail: string;
  /** Where the transaction stays without control; PROCESSING: held, until people or control decide. */
  readonly end: RoadEnd;
  /** Of a FAILED one; '' else. */
  readonly failureCode: string;
  /** The recipient's name is told at COMPLETE. */
  readonly named: boolean;
  /** The payments in the rails' books in the end, oldest first; `back`: it was reversed. */
  readonly payments: readonly { readonly back: boolean }[];
  /** Whole units of the currency that the rail's record has beside what was asked for. */
  readonly paidBeside: bigint;
  /** The control action that lets it be paid, where there is one. */
  readonly opens: 'release' | 'top_up' | null;
  /** From acceptance to the end, ms: what is waited at most, which is no promise. A busy machine takes many times what a quiet one does. */
  readonly withinMs: number;
  /** Cells of the transaction machine this road goes through: `STATE event`, without those that change nothing. */
  readonly cells: readonly string[];
}

const PAID = { back: false };
const STRAIGHT = ['ACCEPTED attempt.started', 'SUBMITTING submitted'];

const paid: Omit<SandboxRoad, 'number' | 'rail'> = {
  end: 'COMPLETE',
  failureCode: '',
  named: true,
  payments: [PAID],
  paidBeside: 0n,
  opens: null,
  withinMs: 60_000,
  cells: [...STRAIGHT, 'SUBMITTED succeeded'],
};
const failed = (failureCode: string): Omit<SandboxRoad, 'number' | 'rail'> => ({
  ...paid,
  end: 'FAILED',
  failureCode,
  named: false,
  payments: [],
  cells: [...STRAIGHT, 'SUBMITTED not_paid_last'],
});

export const STRAIGHT_ROAD: SandboxRoad = { ...paid, number: '', rail: 'pays' };

export const SANDBOX_ROADS: readonly SandboxRoad[] = [
  { ...failed('recipient_not_found'), number: '0000', rail: 'does not find the recipient' },
  { ...failed('rail_rejected'), number: '0001', rail: 'accepts, then rejects' },
  {
    ...paid,
    number: '0002',
    rail: 'does not answer the submit in time, and pays',
    withinMs: 90_000,
    cells: ['ACCEPTED attempt.started', 'SUBMITTING unknown', 'IN_DOUBT submitted', 'SUBMITTED succeeded'],
  },
  {
    ...failed('expired_at_rail'),
    number: '0003',
    rail: 'does not answer the submit in time, and does not pay',
    withinMs: 90_000,
    cells: ['ACCEPTED attempt.started', 'SUBMITTING unknown', 'IN_DOUBT submitted', 'SUBMITTED not_paid_last'],
  },
  {
    ...paid,
    number: '0004',
    rail: 'holds it until released',
    end: 'PROCESSING',
    named: false,
    payments: [],
    opens: 'release',
    cells: STRAIGHT,
  },
  {
    ...paid,
    number: '0005',
    rail: 'pays, and the money comes back',
    end: 'REVERSED',
    payments: [{ back: true }],
    withinMs: 90_000,
    cells: [...STRAIGHT, 'SUBMITTED succeeded', 'COMPLETE reversed'],
  },
  { ...paid, number: '0006', rail: 'pays, and cannot tell the name', named: false },
  {
    ...failed('rail_unavailable'),
    number: '0007',
    rail: 'has no float',
    opens: 'top_up',
    withinMs: 120_000,
    cells: ['ACCEPTED attempt.started', 'SUBMITTING deferred', 'QUEUED attempt.started', 'QUEUED overdue'],
  },
  {
    ...paid,
    number: '0008',
    rail: 'pays twice',
    payments: [PAID, PAID],
    withinMs: 90_000,
    cells: [...STRAIGHT, 'SUBMITTED succeeded', 'COMPLETE succeeded'],
  },
  {
    ...paid,
    number: '0009',
    rail: 'answers for another amount',
    end: 'PROCESSING',
    named: false,
    paidBeside: 1n,
    cells: [...STRAIGHT, 'SUBMITTED mismatch'],
  },
  {
    ...paid,
    number: '0010',
    rail: 'cannot pay there: the second one does',
    withinMs: 90_000,
    cells: [...STRAIGHT, 'SUBMITTED not_paid_route_left', 'QUEUED attempt.started', 'SUBMITTED succeeded'],
  },
];

const BY_NUMBER = new Map(SANDBOX_ROADS.map((road) => [road.number, road]));

/** The same in every currency. */
export function roadOf(number: string): SandboxRoad {
  return BY_NUMBER.get(number) ?? STRAIGHT_ROAD;
}

/** The webhooks of a transaction that ended so, in order, when none was overtaken. */
export const TOLD = {
  PENDING: [],
  PROCESSING: ['PROCESSING'],
  COMPLETE: ['PROCESSING', 'COMPLETE'],
  FAILED: ['PROCESSING', 'FAILED'],
  REVERSED: ['PROCESSING', 'COMPLETE', 'REVERSED'],
} as const satisfies Record<RoadEnd | 'PENDING', readonly string[]>;
