import { VANISHED, type DepositFate } from './deposit-fate.js';
import { pathOf, TOLD, type PathEnd } from './sandbox-paths.js';
import { minorOf, payoutOf, sandboxNumberOf, type ControlAction, type SentPayout } from '../partner/sent-payout.js';
import type { StatusRow } from '../partner/status-row.js';

export type Settlement = 'COMPLETE' | 'FAILED';

/** How a transaction must end, given its sandbox number and its partner's actions. */
export interface Expectation {
  readonly end: PathEnd;
  readonly failureCode: string;
  readonly publicName: string | null;
  readonly told: readonly string[];
  /** Minor units, oldest first; the transaction stands for the first. */
  readonly payments: readonly {
    readonly amount: bigint;
    readonly back: boolean;
    readonly late?: boolean;
  }[];
  /** Owed for payments that stand though the money was returned; collected from the wallet. */
  readonly debt: bigint;
}

interface Course {
  end: PathEnd;
  failureCode: string;
  named: boolean;
  /** `late`: made when the partner had its money back, or was to get it. */
  payments: { readonly amount: bigint; back: boolean; readonly late: boolean }[];
}

/** The documented course, then each control action in order, then people's decision. */
export function expectationOf(sent: SentPayout, settled?: Settlement): Expectation {
  const number = sandboxNumberOf(sent);
  const path = pathOf(number);
  const amount = payoutOf(sent);
  const beside = path.paidBeside * minorOf('1', sent.currency);
  const course: Course = {
    end: path.end,
    failureCode: path.failureCode,
    named: path.named,
    payments: path.payments.map(({ back }) => ({ amount: amount + beside, back, late: false })),
  };
  for (const action of sent.controls) {
    if (action === path.opens || (action === 'release' && path.opens !== null)) open(course, amount);
    else steer(course, action, amount);
  }
  if (settled === 'COMPLETE') course.end = 'COMPLETE';
  if (settled === 'FAILED') Object.assign(course, { end: 'FAILED', named: false, payments: [] });
  const standing = course.payments.filter(({ late, back }) => late && !back);
  return {
    end: course.end,
    failureCode: course.failureCode,
    publicName: course.named ? `TEST ${number}` : null,
    told: TOLD[course.end],
    payments: course.payments,
    debt: standing.reduce((sum, payment) => sum + payment.amount, 0n),
  };
}

export interface Decided {
  readonly settled: Settlement | undefined;
  readonly isCleared: boolean;
  readonly hasVanished: boolean;
}

/** For a pay: first its deposit must fund it. */
export function payExpectationOf(
  sent: SentPayout,
  row: StatusRow,
  fate: DepositFate,
  { settled, isCleared, hasVanished }: Decided,
): Expectation {
  const nothing = { publicName: null, payments: [], debt: 0n };
  // A vanished deposit ends a pay only before its payout was sent.
  if (hasVanished && row.failure_code === VANISHED)
    return { ...nothing, end: 'FAILED', failureCode: VANISHED, told: TOLD.FAILED };
  if (fate.kind === 'nothing') {
    const failureCode = fate.codes.includes(row.failure_code) ? row.failure_code : (fate.codes[0] ?? '');
    return { ...nothing, end: 'FAILED', failureCode, told: TOLD.FAILED };
  }
  if (fate.kind === 'unapplied') return { ...nothing, end: 'FAILED', failureCode: fate.code, told: TOLD.FAILED };
  const isHeld = fate.incomingTransfer.finalAt === null || (fate.screened && !isCleared);
  return isHeld
    ? { ...nothing, end: 'PROCESSING', failureCode: '', told: TOLD.PROCESSING }
    : expectationOf(sent, settled);
}

/** The hold is gone: it is paid like any other. */
function open(course: Course, amount: bigint): void {
  if (course.payments.length > 0) return;
  Object.assign(course, { end: 'COMPLETE', failureCode: '', named: true });
  course.payments.push({ amount, back: false, late: false });
}

function steer(course: Course, action: ControlAction, amount: bigint): void {
  const { end, payments } = course;
  if (action === 'pay') {
    // A held PROCESSING payout is just paid. FAILED and REVERSED stay, and the partner owes the payment.
    if (end === 'PROCESSING' && payments.length === 0) open(course, amount);
    else payments.push({ amount, back: false, late: end === 'FAILED' || end === 'REVERSED' });
    return;
  }
  if (action !== 'reverse') return;
  const last = payments.findLast(({ back }) => !back);
  if (last === undefined) return;
  last.back = true;
  if (end === 'COMPLETE' && last === payments[0]) course.end = 'REVERSED';
}
