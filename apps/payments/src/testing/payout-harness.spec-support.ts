import type { CallContext, Envelope, StatusRow } from '@vuka/contracts';
import {
  MAIN_WALLET,
  type PayoutProvider,
  type ProviderCapabilities,
  type ProviderAnswer,
  type TooLate,
} from '@vuka/payouts';
import { ManualClock, uuidv7 } from '@vuka/runtime';

import { CommitWriter } from '../commit/commit-writer.js';
import { FrozenPartners, type Freeze } from '../controls/frozen-partners.js';
import { leaseFor } from '../due-work/lease.js';
import { TransactionMachine } from '../machine/transaction-machine.js';
import { AcceptPayout } from '../payouts/accept/accept-payout.js';
import { CallProvider } from '../payouts/call-provider.js';
import { StartPayout } from '../payouts/start-payout.js';
import { ExecuteSettlement } from '../settlements/execute-settlement.js';
import { SettlePayout } from '../settlements/settle-payout.js';
import { SettlementStore } from '../settlements/settlement.store.js';
import { AttemptStore } from '../transactions/attempt.store.js';
import { DestinationVault } from '../transactions/destination-vault.js';
import { GetTransaction } from '../transactions/status/get-transaction.js';
import { AttemptClaims, type ClaimedAttempt, type ClaimPurpose } from '../transactions/attempt-claims.store.js';
import { TransactionStore } from '../transactions/transaction.store.js';
import { CollectReceivables } from '../wallets/collect-receivables.js';
import { Wallets } from '../wallets/wallets.js';
import { type Part, type Parts, partsOn } from './parts.spec-support.js';
import type { PaymentsDatabase } from './payments-database.spec-support.js';

export const AMOUNT = 500_00n;
export const FEE = 30_00n;
export const FUNDS = 1_000_00n;
export const LEASE_MS = 30_000;

let partners = 0;

/** Unique in this suite. */
export const nextPartner = (): number => ++partners;

/** Late polls of a scripted provider: at 2 s, then each 10 s, for a minute. */
export const LATE_WINDOW_MS = 60_000;

export const DEDUPES_FOR_MS = 24 * 3_600_000;

/** Answers by script, and remembers the ids of its calls. */
export class ScriptedProvider implements PayoutProvider {
  readonly submitted: string[] = [];
  queries = 0;
  floats = [{ wallet: MAIN_WALLET, currency: 'KES' }];
  /** null: it pays nothing. */
  wallet: string | null = MAIN_WALLET;
  refundSafeAfterMs = 0;
  readonly promises: Partial<ProviderCapabilities> = {};
  constructor(
    private readonly script: ProviderAnswer[],
    private readonly dedupes = true,
    readonly id = 'sandbox',
  ) {}
  get capabilities(): ProviderCapabilities {
    return {
      dedupesForMs: this.dedupes ? DEDUPES_FOR_MS : null,
      notFoundProvesAfterMs: null,
      lateWindowMs: LATE_WINDOW_MS,
      latePollScheduleMs: [2_000, 10_000],
      pollScheduleMs: [1_000],
      callTimeoutMs: 1_000,
      resolvesNames: true,
      debitsAt: 'payment',
      callsAtOnce: 64,
      refundSafeAfterMs: this.refundSafeAfterMs,
      ...this.promises,
    };
  }
  walletOf(): string | null {
    return this.wallet;
  }
  will(...answers: ProviderAnswer[]): this {
    this.script.push(...answers);
    return this;
  }
  submit(instruction: { attemptId: string }): Promise<ProviderAnswer | TooLate> {
    this.submitted.push(instruction.attemptId);
    return this.next();
  }
  query(): Promise<ProviderAnswer> {
    this.queries += 1;
    return this.next();
  }
  private next(): Promise<ProviderAnswer> {
    const answer = this.script.shift();
    return answer ? Promise.resolve(answer) : Promise.reject(new Error('the script has ended'));
  }
}

/** One partner with 1,000.00 KES; the test sets providers and clock. */
export class Harness {
  partner = nextPartner();
  readonly clock = new ManualClock(new Date());
  readonly providers: readonly ScriptedProvider[];
  protected readonly parts: Parts;
  readonly store: TransactionStore;
  readonly claims: AttemptClaims;
  readonly attempts: AttemptStore;
  readonly machine: TransactionMachine;
  readonly settle: SettlePayout;
  readonly executor: ExecuteSettlement;
  readonly settlements: SettlementStore;
  readonly writer: CommitWriter;
  readonly vault: DestinationVault;
  readonly frozen: FrozenPartners;
  readonly starter: StartPayout;
  readonly caller: CallProvider;
  readonly code = uuidv7();
  id = 0;

  constructor(
    protected readonly pg: PaymentsDatabase,
    readonly provider: ScriptedProvider | undefined,
    ...others: ScriptedProvider[]
  ) {
    this.providers = provider ? [provider, ...others] : others;
    const parts = this.partsWith();
    this.parts = parts;
    this.store = parts.get(TransactionStore);
    this.claims = parts.get(AttemptClaims);
    this.attempts = parts.get(AttemptStore);
    this.machine = parts.get(TransactionMachine);
    this.settle = parts.get(SettlePayout);
    this.executor = parts.get(ExecuteSettlement);
    this.settlements = parts.get(SettlementStore);
    this.writer = parts.get(CommitWriter);
    this.vault = parts.get(DestinationVault);
    this.frozen = parts.get(FrozenPartners);
    this.starter = parts.get(StartPayout);
    this.caller = parts.get(CallProvider);
  }

  /** Another payments on the same tables and clock. */
  partsWith(...instead: readonly Part[]): Parts {
    return partsOn(this.pg.db, this.clock, this.providers, ...instead);
  }

  starterBy(frozen: Freeze): StartPayout {
    return this.partsWith([FrozenPartners, frozen]).get(StartPayout);
  }

  async accepted(): Promise<this> {
    await this.parts.get(Wallets).openInSandbox({
      partner_id: this.partner,
      openings: [{ currency: 'KES', amount_minor: FUNDS.toString() }],
    });
    this.id = await this.acceptAgain();
    return this;
  }

  async acceptedFor(partner: number): Promise<this> {
    this.partner = partner;
    this.id = await this.acceptAgain();
    return this;
  }

  /** Resolves with the transaction's id. */
  async acceptAgain(): Promise<number> {
    const context: CallContext = { requestId: 'r-1', traceparent: '00-1', deadline: Date.now() + 5_000 };
    const result = await this.parts.get(AcceptPayout).run(
      {
        operation: 'bank_transfer',
        partner_id: this.partner,
        transaction_code: this.code,
        fingerprint: 'v1:x',
        currency: 'KES',
        amount_minor: AMOUNT.toString(),
        fee_minor: '0',
        destination: { kind: 'bank', account_number: '1234567890', bank_code: '01', bank_name: 'KCB Bank Kenya' },
        callback_url: 'https://x.test/?a=1',
      },
      context,
    );
    if (!result.ok) throw new Error(result.error.message);
    return result.value.transaction_id;
  }

  async start(starter = this.starter): Promise<this> {
    const due = await this.store.dueForStart(this.clock.now(), 1_000);
    for (const snapshot of due.filter(({ details }) => details.id === this.id)) await starter.run(snapshot);
    return this;
  }

  async claim(purpose: ClaimPurpose): Promise<ClaimedAttempt[]> {
    const lease = leaseFor(LEASE_MS, this.clock);
    const ids = this.providers.map(({ id }) => id);
    const claimed = (await Promise.all(ids.map((id) => this.claims.claim(purpose, id, lease, 1_000)))).flat();
    return claimed.filter(({ transaction }) => transaction.details.id === this.id);
  }

  /** Resolves with the number of calls. */
  async call(purpose: ClaimPurpose): Promise<number> {
    const claimed = await this.claim(purpose);
    for (const attempt of claimed) await this.caller.run(purpose, attempt);
    return claimed.length;
  }

  async row(): Promise<StatusRow> {
    const result = await this.parts.get(GetTransaction).run({
      partner_id: this.partner,
      currency: null,
      by: { transaction_code: this.code },
    });
    if (!result.ok) throw new Error(result.error.message);
    return result.value;
  }

  async state(): Promise<string> {
    return (await this.store.byId(this.id))?.life.state ?? 'none';
  }

  wallet(): Promise<bigint> {
    return this.balance(`wallet:${this.partner}:KES`);
  }

  /** As a positive number. */
  async debt(): Promise<bigint> {
    return -(await this.balance(`receivable:${this.partner}:KES`, 0));
  }

  async balance(name: string, absent = -1): Promise<bigint> {
    const [row] = await this.pg.db.query<{ minor: string }>(
      `select balance_minor::text as minor from accounts where name = $1`,
      [name],
    );
    return BigInt(row?.minor ?? absent);
  }

  /** By commit, then by reference. */
  async posted(): Promise<string[]> {
    const rows = await this.pg.db.query<{ kind: string }>(
      `select kind from postings where transaction_id = $1 order by id`,
      [this.id],
    );
    return rows.map(({ kind }) => kind);
  }

  async incidents(): Promise<{ event: string; times: number }[]> {
    return this.pg.db.query(`select event, times from incidents where transaction_id = $1 order by id`, [this.id]);
  }

  /** One round. */
  async collect(): Promise<number> {
    return this.parts.get(CollectReceivables).run();
  }

  async told(): Promise<(string | number)[][]> {
    const rows = await this.pg.db.query<{ envelope: string }>(
      `select envelope from outbox where key = $1 and topic = 'payments.transaction.events.v1' order by sequence`,
      [String(this.id)],
    );
    return rows.map((row) => {
      const event = JSON.parse(row.envelope) as Envelope<'transaction.complete'>;
      return [event.type, event.data.public_sequence, event.data.payload.status];
    });
  }
}

/** Accepted, with its first attempt started. */
export const startedHarness = async (
  pg: PaymentsDatabase,
  provider: ScriptedProvider,
  ...others: ScriptedProvider[]
): Promise<Harness> => (await new Harness(pg, provider, ...others).accepted()).start();

export async function later(trip: Harness, purpose: ClaimPurpose, ms = 1_000): Promise<number> {
  trip.clock.advance(ms);
  return trip.call(purpose);
}
