/** A second copy of docs/partners/sandbox.md: suites hold the system to it, and the coverage page counts its cells. */
export type PathEnd = 'COMPLETE' | 'FAILED' | 'REVERSED' | 'PROCESSING';

export interface SandboxPath {
  readonly number: string;
  readonly provider: string;
  /** PROCESSING: held until people or the control decide. */
  readonly end: PathEnd;
  readonly failureCode: string;
  /** COMPLETE reports the recipient's name. */
  readonly named: boolean;
  /** Expected payments in the providers' books, oldest first; `back`: it was reversed. */
  readonly payments: readonly { readonly back: boolean }[];
  /** Whole currency units that the provider paid beyond the request. */
  readonly paidBeside: bigint;
  readonly opens: 'release' | 'top_up' | null;
  /** From acceptance to the end, in ms: a test bound, not a promise. Busy machines are many times slower. */
  readonly withinMs: number;
  /** `STATE event` cells of the transaction machine on this path that change something. */
  readonly cells: readonly string[];
}

const PAID = { back: false };
const STRAIGHT = ['ACCEPTED attempt.started', 'SUBMITTING submitted'];

const paid: Omit<SandboxPath, 'number' | 'provider'> = {
  end: 'COMPLETE',
  failureCode: '',
  named: true,
  payments: [PAID],
  paidBeside: 0n,
  opens: null,
  withinMs: 60_000,
  cells: [...STRAIGHT, 'SUBMITTED succeeded'],
};
const failed = (failureCode: string): Omit<SandboxPath, 'number' | 'provider'> => ({
  ...paid,
  end: 'FAILED',
  failureCode,
  named: false,
  payments: [],
  cells: [...STRAIGHT, 'SUBMITTED not_paid_last'],
});

export const STRAIGHT_PATH: SandboxPath = { ...paid, number: '', provider: 'pays' };

export const SANDBOX_PATHS: readonly SandboxPath[] = [
  { ...failed('recipient_not_found'), number: '0000', provider: 'does not find the recipient' },
  { ...failed('rail_rejected'), number: '0001', provider: 'accepts, then rejects' },
  {
    ...paid,
    number: '0002',
    provider: 'does not answer the submit in time, and pays',
    withinMs: 90_000,
    cells: ['ACCEPTED attempt.started', 'SUBMITTING unknown', 'IN_DOUBT submitted', 'SUBMITTED succeeded'],
  },
  {
    ...failed('expired_at_rail'),
    number: '0003',
    provider: 'does not answer the submit in time, and does not pay',
    withinMs: 90_000,
    cells: ['ACCEPTED attempt.started', 'SUBMITTING unknown', 'IN_DOUBT submitted', 'SUBMITTED not_paid_last'],
  },
  {
    ...paid,
    number: '0004',
    provider: 'holds it until released',
    end: 'PROCESSING',
    named: false,
    payments: [],
    opens: 'release',
    cells: STRAIGHT,
  },
  {
    ...paid,
    number: '0005',
    provider: 'pays, and the money comes back',
    end: 'REVERSED',
    payments: [{ back: true }],
    withinMs: 90_000,
    cells: [...STRAIGHT, 'SUBMITTED succeeded', 'COMPLETE reversed'],
  },
  { ...paid, number: '0006', provider: 'pays, and cannot tell the name', named: false },
  {
    ...failed('rail_unavailable'),
    number: '0007',
    provider: 'has no float',
    opens: 'top_up',
    withinMs: 120_000,
    cells: ['ACCEPTED attempt.started', 'SUBMITTING deferred', 'QUEUED attempt.started', 'QUEUED overdue'],
  },
  {
    ...paid,
    number: '0008',
    provider: 'pays twice',
    payments: [PAID, PAID],
    withinMs: 90_000,
    cells: [...STRAIGHT, 'SUBMITTED succeeded', 'COMPLETE succeeded'],
  },
  {
    ...paid,
    number: '0009',
    provider: 'answers for another amount',
    end: 'PROCESSING',
    named: false,
    paidBeside: 1n,
    cells: [...STRAIGHT, 'SUBMITTED mismatch'],
  },
  {
    ...paid,
    number: '0010',
    provider: 'cannot pay there: the second one does',
    withinMs: 90_000,
    cells: [...STRAIGHT, 'SUBMITTED not_paid_route_left', 'QUEUED attempt.started', 'SUBMITTED succeeded'],
  },
];

const BY_NUMBER = new Map(SANDBOX_PATHS.map((path) => [path.number, path]));

export function pathOf(number: string): SandboxPath {
  return BY_NUMBER.get(number) ?? STRAIGHT_PATH;
}

export const TOLD = {
  PENDING: [],
  PROCESSING: ['PROCESSING'],
  COMPLETE: ['PROCESSING', 'COMPLETE'],
  FAILED: ['PROCESSING', 'FAILED'],
  REVERSED: ['PROCESSING', 'COMPLETE', 'REVERSED'],
} as const satisfies Record<PathEnd | 'PENDING', readonly string[]>;
