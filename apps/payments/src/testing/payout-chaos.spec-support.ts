import { money } from '@vuka/domain';
import type {
  CallbackProvider,
  CallbackReading,
  PayoutInstruction,
  ProviderAnswer,
  ProviderCallback,
  ProviderPayment,
} from '@vuka/payouts';

import { AMOUNT, ScriptedProvider } from './payout-harness.spec-support.js';
import type { PaymentsDatabase } from './payments-database.spec-support.js';

/** In [0, 1), by seed (mulberry32). */
export function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const WITHOUT_PAYMENT: readonly ProviderAnswer[] = [
  { outcome: 'submitted' },
  { outcome: 'unknown', detail: '' },
  { outcome: 'not_paid', code: 'rail_rejected', routeLeft: true, detail: '' },
  { outcome: 'not_paid', code: 'rail_rejected', routeLeft: false, detail: '' },
  { outcome: 'not_paid', code: 'rail_unavailable', routeLeft: true, ourFault: 'float', detail: '' },
];
const NO_FLOAT: ProviderAnswer = { outcome: 'deferred', reason: 'float', detail: '' };
const MAX_PAYMENTS = 3;

/**
 * Pays late, up to three times, takes payments back, contradicts itself. Its book holds the truth, and queries get
 * all of it.
 */
export class LyingProvider extends ScriptedProvider implements CallbackProvider {
  readonly book = new Map<string, { receipt: string; reversed: boolean }[]>();
  /** false: only reports. */
  isActing = true;

  constructor(
    id: string,
    dedupes: boolean,
    private readonly random: () => number,
  ) {
    super([], dedupes, id);
  }

  /** Short leases need calls without duration. */
  override get capabilities() {
    return { ...super.capabilities, callTimeoutMs: 1 };
  }

  override submit(instruction: PayoutInstruction): Promise<ProviderAnswer> {
    this.submitted.push(instruction.attemptId);
    return Promise.resolve(this.answer(instruction.attemptId, true));
  }

  override query(instruction?: PayoutInstruction): Promise<ProviderAnswer> {
    if (!instruction) throw new Error('a provider is asked about an id');
    return Promise.resolve(this.answer(instruction.attemptId, false));
  }

  /** A body of `calledBack`. */
  async parseCallback({ body }: ProviderCallback): Promise<CallbackReading> {
    const { id, receipt, signed } = JSON.parse(Buffer.from(body).toString('utf8')) as Called;
    return {
      signed,
      detail: '',
      attemptIds: [id],
      answerFor: () => (signed ? told({ receipt, reversed: false }, []) : { outcome: 'query_failed', detail: '' }),
    };
  }

  /** What it might call back now: of payments, signed, also when they have come back since; else forged. */
  calledBack(): Called[] {
    return [...this.book.keys()].flatMap((id): Called[] => {
      if (this.random() >= 0.03) return [];
      // It may have paid since it was last asked.
      const payments = [1, 2, 3].map(() => this.act(id)).at(-1) ?? [];
      const [payment] = payments.slice(Math.floor(this.random() * payments.length));
      return payment === undefined || this.random() < 0.3
        ? [{ id, receipt: 'forged', signed: false, nonce: this.random() }]
        : [{ id, receipt: payment.receipt, signed: true, nonce: this.random() }];
    });
  }

  private answer(id: string, isSubmit: boolean): ProviderAnswer {
    const payments = this.act(id);
    const [first, ...others] = payments.map((payment): ProviderPayment => ({ ...payment }));
    if (first) return told(first, others);
    if (this.random() < 0.03) return { outcome: 'mismatch', detail: '' };
    const all = isSubmit ? [...WITHOUT_PAYMENT, NO_FLOAT] : WITHOUT_PAYMENT;
    const answer = all[Math.floor(this.random() * all.length)] as ProviderAnswer;
    // It may also keep its own id to itself.
    return answer.outcome === 'submitted' && this.random() < 0.5
      ? { ...answer, providerPaymentId: `own-${id}` }
      : answer;
  }

  private act(id: string): { receipt: string; reversed: boolean }[] {
    const payments = this.book.get(id) ?? [];
    this.book.set(id, payments);
    if (!this.isActing) return payments;
    // Two providers may use the same receipt.
    if (payments.length < MAX_PAYMENTS && this.random() < 0.12)
      payments.push({ receipt: `${id.slice(-4)}-${payments.length}`, reversed: false });
    const standing = payments.find(({ reversed }) => !reversed);
    if (standing && this.random() < 0.1) standing.reversed = true;
    return payments;
  }
}

export interface Called {
  readonly id: string;
  readonly receipt: string;
  readonly signed: boolean;
  /** Makes another body. */
  readonly nonce: number;
}

function told(first: ProviderPayment, otherPayments: readonly ProviderPayment[]): ProviderAnswer {
  return first.reversed
    ? { outcome: 'reversed', receipt: first.receipt, publicName: null, detail: '', otherPayments }
    : {
        outcome: 'succeeded',
        receipt: first.receipt,
        publicName: null,
        amount: money(AMOUNT, 'KES'),
        recipient: '1',
        otherPayments,
      };
}

/** Loses the answers of some commits. */
export function losingAnswers(
  pg: PaymentsDatabase,
  db: PaymentsDatabase['db'],
  random: () => number,
): PaymentsDatabase {
  const query = async (sql: string, parameters?: unknown[], options?: { name?: string }): Promise<unknown> => {
    const rows = await db.query(sql, parameters, options);
    if (options?.name === 'commit_batch' && random() < 0.03)
      throw Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
    return rows;
  };
  const lossy = new Proxy(db, {
    get: (target, member) => {
      if (member === 'query') return query;
      const value: unknown = Reflect.get(target, member, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { ...pg, db: lossy };
}
