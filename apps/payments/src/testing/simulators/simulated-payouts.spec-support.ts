import { ManualClock } from '@vuka/runtime';
import { eachOf } from '@vuka/testing';

import { ProviderBalances, type ProviderBalanceView } from '../../admin/provider-balances.js';
import { MoneyTroubleReader } from '../../admin/readers/money-trouble-reader.js';
import { StuckReader } from '../../admin/readers/stuck-reader.js';
import type { StuckReport, WaitingView } from '../../admin/readers/views.js';
import { ResolveIncident } from '../../admin/resolve-incident.js';
import { MoveFloat } from '../../floats/move-float.js';
import type { MovementProposal } from '../../floats/float-movement.js';
import { ExecuteSettlement } from '../../settlements/execute-settlement.js';
import { SettlePayout } from '../../settlements/settle-payout.js';
import { GetTransaction } from '../../transactions/status/get-transaction.js';
import { Wallets } from '../../wallets/wallets.js';
import { losingAnswers } from '../payout-chaos.spec-support.js';
import type { PaymentsDatabase } from '../payments-database.spec-support.js';
import { nextPartner } from '../payout-harness.spec-support.js';
import { CallbackDoor } from './callback-door.spec-support.js';
import { CALM, PaymentsProcess, type Troubles } from './payments-process.spec-support.js';
import type { RunningSimulator, SimulatorRow } from './simulator-row.spec-support.js';

/** Hundredths, which are the minor units of every row's currency. */
const FUNDS = 10_000_000_000n;
const [ANN, BEN] = ['Ann', 'Ben'];
/** Longer than any lease. */
const LEASES_END_MS = 60_000;
const ROUNDS_TO_CATCH_UP = 3;
const AT_ONCE = 8;

/** What became of a payout, by our database. */
export interface Ended {
  readonly id: number;
  readonly state: string;
  /** Payments that the ledger has and that stand. */
  readonly standing: number;
  /** Its attempts, oldest first. */
  readonly attemptIds: readonly string[];
  readonly paidAttempts: number;
}

interface World {
  readonly simulator: RunningSimulator;
  readonly door: CallbackDoor;
  readonly clock: ManualClock;
  /** Only its database loses no answers. */
  readonly admin: PaymentsProcess;
  readonly processes: readonly PaymentsProcess[];
}

/** Two processes of payments, a simulator of a provider, a door for its callbacks, and people. One clock is moved. */
export class SimulatedPayouts {
  readonly behaviours = new Map<number, string>();
  private readonly partner = nextPartner();
  private accepted = 0;

  private constructor(
    private readonly pg: PaymentsDatabase,
    private readonly row: SimulatorRow,
    private readonly parts: World,
    private readonly random: () => number,
  ) {}

  get simulator(): RunningSimulator {
    return this.parts.simulator;
  }

  static async start(pg: PaymentsDatabase, row: SimulatorRow, random: () => number): Promise<SimulatedPayouts> {
    const clock = new ManualClock(new Date());
    const door = await CallbackDoor.open(row.id);
    const simulator = await row.start({ clock, callbackUrl: door.url, approvalUrl: door.approvalUrl });
    const processOn = (db: PaymentsDatabase['db']): PaymentsProcess =>
      new PaymentsProcess(db, simulator.provider, clock, random);
    const processes = [pg.db, await pg.connect()].map((db) => processOn(losingAnswers(pg, db, random).db));
    const parts: World = { simulator, door, clock, admin: processOn(pg.db), processes };
    const payouts = new SimulatedPayouts(pg, row, parts, random);
    door.taking = (callback) => payouts.one(processes).takeCallback(callback);
    door.approving = (question) => payouts.one(processes).answerApproval(question);
    await payouts.fund();
    return payouts;
  }

  async stop(): Promise<void> {
    await this.simulator.stop();
    await this.parts.door.close();
  }

  trouble(troubles: Troubles, door: CallbackDoor['fate']): void {
    for (const process of this.parts.processes) process.troubles = troubles;
    this.parts.door.fate = door;
  }

  calmDown(): void {
    this.trouble(CALM, () => 'kept');
  }

  /** To a number that the dice choose. */
  async pay(count: number): Promise<void> {
    const all = Array.from({ length: count }, () => this.one(this.row.behaviours));
    await eachOf(all, AT_ONCE, async (behaviour) => {
      const amount = 5_000 + Math.floor(this.random() * 900_000);
      const id = await this.parts.admin.accept({
        operation: 'disburse',
        partner_id: this.partner,
        transaction_code: `payout-${this.accepted++}`,
        fingerprint: 'v1:x',
        currency: this.row.currency,
        amount_minor: String(amount),
        fee_minor: '0',
        destination: this.row.destinationOf(behaviour),
        callback_url: null,
      });
      this.behaviours.set(id, behaviour);
    });
  }

  /** Everybody does what is due, then time passes. */
  async round(ms: number): Promise<void> {
    await Promise.all(this.parts.processes.map((process) => process.round()));
    await this.simulator.moveClock(ms);
  }

  /** Until nothing is due: what one round starts the next one may call about. */
  async catchUp(): Promise<void> {
    for (let rounds = 0; rounds < ROUNDS_TO_CATCH_UP; rounds += 1) await this.round(0);
  }

  open(): Promise<{ id: number; state: string }[]> {
    return this.pg.db.query(
      `select id::integer, state from transactions where state not in ('COMPLETE', 'FAILED', 'REVERSED') order by id`,
    );
  }

  stuck(): Promise<StuckReport> {
    const { db } = this.pg;
    return new StuckReader(db, new MoneyTroubleReader(db), this.parts.clock, [this.row.id]).read();
  }

  /** One proposes by the provider's book, another one approves. What is not paid the provider ends as well. */
  async settle({ transaction_id: transactionId }: WaitingView): Promise<void> {
    const settle = this.parts.admin.get(SettlePayout);
    const [paid] = await this.paymentsOf(transactionId);
    const proposed = await settle.propose({
      transactionId,
      outcome: paid === undefined ? 'not_paid' : 'paid',
      receipt: paid?.receipt ?? null,
      paid: null,
      evidence: 'the provider’s book',
      by: ANN,
    });
    if (!proposed.ok) throw new Error(`${this.behaviours.get(transactionId)}: ${proposed.error.message}`);
    const { settlementId } = proposed.value;
    const alone = await settle.approve({ settlementId, by: ANN });
    if (alone.ok) throw new Error('one person settled a payout alone');
    const approved = await settle.approve({ settlementId, by: BEN });
    if (!approved.ok) throw new Error(approved.error.message);
    if (paid === undefined) for (const id of await this.attemptIdsOf(transactionId)) await this.simulator.end(id);
  }

  /** What was agreed waits for calls that are out. */
  async executeSettlements(): Promise<void> {
    await this.simulator.moveClock(LEASES_END_MS);
    await this.parts.admin.get(ExecuteSettlement).runDue();
  }

  async resolveIncidents(): Promise<void> {
    const open = await this.pg.db.query<{ id: string }>(
      'select id from incidents where resolved_at is null order by id',
    );
    for (const { id } of open) {
      const resolved = await this.parts.admin.get(ResolveIncident).run(Number(id), ANN, 'the provider was asked');
      if (!resolved.ok) throw new Error(resolved.error.message);
    }
  }

  /** All payouts, whatever became of them. */
  async ended(): Promise<readonly Ended[]> {
    return this.pg.db.query<Ended & Record<string, unknown>>(
      `select t.id::integer, t.state,
              ((t.state = 'COMPLETE')::integer
               + (select count(*) from duplicate_payment p where p.transaction_id = t.id and p.unwound_at is null))::integer as standing,
              array(select a.provider_reference::text from attempts a where a.transaction_id = t.id order by a.attempt_no) as "attemptIds",
              (select count(*) from attempts a where a.transaction_id = t.id and a.state = 'PAID')::integer as "paidAttempts"
         from transactions t order by t.id`,
    );
  }

  async correctionOf(id: number): Promise<string | null> {
    const [row] = await this.pg.db.query<{ code: string }>(
      'select transaction_code as code from transactions where id = $1',
      [id],
    );
    const found = await this.parts.admin.get(GetTransaction).run({
      partner_id: this.partner,
      currency: null,
      by: { transaction_code: row?.code ?? '' },
    });
    if (!found.ok) throw new Error(found.error.message);
    const { correction } = found.value;
    return correction === '' ? null : correction.reason;
  }

  /** Transactions with an incident, also a resolved one. */
  async withIncident(): Promise<ReadonlySet<number>> {
    const rows = await this.pg.db.query<{ id: number }>('select distinct transaction_id::integer as id from incidents');
    return new Set(rows.map(({ id }) => id));
  }

  /** Minor units, together. */
  async amountOf(ids: readonly number[]): Promise<bigint> {
    const [row] = await this.pg.db.query<{ minor: string }>(
      'select coalesce(sum(amount_minor), 0)::text as minor from transactions where id = any($1)',
      [ids],
    );
    return BigInt(row?.minor ?? 0);
  }

  /** Two people post what the provider took and did not tell. */
  async postFees(): Promise<void> {
    const [told] = await this.pg.db.query<{ minor: string }>(
      `select coalesce(sum(e.amount_minor), 0)::text as minor from postings p join entries e on e.posting_id = p.id
        where p.kind = 'provider_fee' and p.reference like 'provider-fee:%'`,
    );
    const fees = this.simulator.fees() - BigInt(told?.minor ?? 0);
    if (fees > 0n) await this.moveFloat('provider_fee', fees);
  }

  async float(): Promise<ProviderBalanceView> {
    const { balances } = await this.parts.admin.get(ProviderBalances).read();
    const found = balances.find(({ wallet, currency }) => wallet === this.row.wallet && currency === this.row.currency);
    if (found === undefined) throw new Error('nobody told the balance of the float');
    return found;
  }

  async callbackOutcomes(): Promise<Readonly<Record<string, number>>> {
    const rows = await this.pg.db.query<{ outcome: string; count: number }>(
      `select coalesce(outcome, 'open') as outcome, count(*)::integer as count from provider_callbacks group by 1`,
    );
    return Object.fromEntries(rows.map(({ outcome, count }) => [outcome, count]));
  }

  private async paymentsOf(transactionId: number): Promise<{ receipt: string }[]> {
    const ids = await this.attemptIdsOf(transactionId);
    return ids.flatMap((id) => this.simulator.paymentsOf(id).filter(({ reversed }) => !reversed));
  }

  private async attemptIdsOf(transactionId: number): Promise<string[]> {
    const attempts = await this.pg.db.query<{ id: string }>(
      'select provider_reference::text as id from attempts where transaction_id = $1 order by attempt_no',
      [transactionId],
    );
    return attempts.map(({ id }) => id);
  }

  private async fund(): Promise<void> {
    const { currency } = this.row;
    const openings = [{ currency, amount_minor: FUNDS.toString() }];
    const opened = await this.parts.admin.get(Wallets).openInSandbox({ partner_id: this.partner, openings });
    if (!opened.ok) throw new Error(opened.error.message);
    await this.moveFloat('bank_funded', FUNDS);
    await this.simulator.topUp(FUNDS);
    await this.moveFloat('float_funded', FUNDS);
  }

  private async moveFloat(kind: MovementProposal['kind'], hundredths: bigint): Promise<void> {
    const isOfFloat = kind !== 'bank_funded';
    const mover = this.parts.admin.get(MoveFloat);
    const proposed = await mover.propose({
      kind,
      currency: this.row.currency,
      amount: `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, '0')}`,
      provider: isOfFloat ? this.row.id : null,
      wallet: isOfFloat ? this.row.wallet : null,
      asset: null,
      tokens: null,
      evidence: 'the provider’s statement',
      by: ANN,
    });
    if (!proposed.ok) throw new Error(proposed.error.message);
    const approved = await mover.approve({ movementId: proposed.value.id, reason: 'it says so', by: BEN });
    if (!approved.ok) throw new Error(approved.error.message);
  }

  private one<T>(all: readonly T[]): T {
    return all[Math.floor(this.random() * all.length)] as T;
  }
}
