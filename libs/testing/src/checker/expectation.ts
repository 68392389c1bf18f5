import { VANISHED, type DepositFate } from './deposit-fate.js';
import { pathOf, TOLD, type PathEnd } from './sandbox-paths.js';
import { minorOf, payoutOf, sandboxNumberOf, type ControlAction, type SentPayout } from '../partner/sent-payout.js';
import type { StatusRow } from '../partner/status-row.js';

/** What people made of a transaction that waited for them. */
export type Settlement = 'COMPLETE' | 'FAILED';

/** How a transaction has to end, by its sandbox number and by what its partner did to it. */
export interface Expectation {
  readonly end: PathEnd;
  readonly failureCode: string;
  readonly publicName: string | null;
  /** Its webhooks, when none was overtaken. */
  readonly told: readonly string[];
  /** The payments in the books, oldest first, in minor units; the first is the one it stands for, where it was paid as asked. */
  readonly payments: readonly {
    readonly amount: bigint;
    readonly back: boolean;
    /** Made after its end. */ readonly late?: boolean;
  }[];
  /** What the partner owes for payments that stand though its money was given back: collected from its wallet. */
  readonly debt: bigint;
}

interface Course {
  end: PathEnd;
  failureCode: string;
  named: boolean;
  /** `late`: made when the partner had its money back, or was to get it. */
  payments: { readonly amount: bigint; back: boolean; readonly late: boolean }[];
}

/** The documented course of a payout, then each control action in order, then what people decided. */
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
    // What needs float is released by it, too.
    if (action === path.opens || (action === 'release' && path.opens !== null)) open(course, amount);
    else steer(course, action, amount);
  }
  if (settled === 'COMPLETE') course.end = 'COMPLETE';
  // People said that nothing was paid.
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
  /** People let money of a sender on the list through. */
  readonly isCleared: boolean;
  /** Its chain took the deposit back after it had been told. */
  readonly hasVanished: boolean;
}

/** The same of a pay: first its deposit has to fund it. */
export function payExpectationOf(
  sent: SentPayout,
  row: StatusRow,
  fate: DepositFate,
  { settled, isCleared, hasVanished }: Decided,
): Expectation {
  const nothing = { publicName: null, payments: [], debt: 0n };
  // Before anything was sent it ends by that alone; what was paid stays as it is.
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

/** What held the payout is out of its way: it is paid as any other. */
function open(course: Course, amount: bigint): void {
  if (course.payments.length > 0) return;
  Object.assign(course, { end: 'COMPLETE', failureCode: '', named: true });
  course.payments.push({ amount, back: false, late: false });
}

function steer(course: Course, action: ControlAction, amount: bigint): void {
  const { end, payments } = course;
  if (action === 'pay') {
    // Held in progress, it is simply paid; FAILED and REVERSED stay what they are, and the partner owes.
    if (end === 'PROCESSING' && payments.length === 0) open(course, amount);
    else payments.push({ amount, back: false, late: end === 'FAILED' || end === 'REVERSED' });
    return;
  }
  if (action !== 'reverse') return;
  const last = payments.findLast(({ back }) => !back);
  if (last === undefined) return;
  last.back = true;
  // The transaction stands for its first payment: only when that comes back is it reversed.
  if (end === 'COMPLETE' && last === payments[0]) course.end = 'REVERSED';
}
