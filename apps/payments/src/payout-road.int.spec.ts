import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CallContext, Envelope, StatusRow } from '@vuka/contracts';
import { SANDBOX_SERVICE_FEES } from '@vuka/domain';
import type { PayoutProvider, RailAnswer } from '@vuka/payouts';
import { Cipher, ManualClock, uuidv7, WakeSignal } from '@vuka/platform';

import { AcceptBankTransfer } from './accept-bank-transfer.js';
import { CallRail } from './call-rail.js';
import { DestinationVault } from './destination-vault.js';
import { GetTransaction } from './get-transaction.js';
import type { PayoutWake } from './jobs/payout-wake.js';
import { checkLedger } from './ledger/check-ledger.js';
import { RecordRailAnswer } from './record-rail-answer.js';
import { StartPayout } from './start-payout.js';
import { MoveWriter } from './store/move-writer.js';
import { silent, startPaymentsDatabase, type PaymentsDatabase } from './store/payments-database.spec-support.js';
import { TransactionIds } from './store/transaction-ids.js';
import { TransactionStore, type ClaimPurpose } from './store/transaction.store.js';
import { TransactionMachine } from './transaction-machine.js';
import { Wallets } from './wallets.js';

let pg: PaymentsDatabase;
let partner = 0;

beforeAll(async () => { pg = await startPaymentsDatabase(); }, 60_000);
afterAll(async () => {
  const report = await checkLedger(pg.db);
  await pg.stop();
  expect(report.checks.filter((check) => check.broken.length > 0)).toEqual([]);
});

const PAID: RailAnswer = { outcome: 'succeeded', receipt: 'R1', publicName: 'TEST 7890', amountMinor: 500_00n, recipient: '1234567890' };
const NOT_PAID: RailAnswer = { outcome: 'not_paid', code: 'recipient_not_found', routeLeft: false, detail: 'RECIPIENT_NOT_FOUND' };
const UNKNOWN: RailAnswer = { outcome: 'unknown', detail: 'timeout' };
const NO_FLOAT: RailAnswer = { outcome: 'deferred', reason: 'float', detail: 'FLOAT' };
const AMOUNT = 500_00n;
const FEE = 30_00n;
const FUNDS = 1_000_00n;
const LEASE_MS = 30_000;

/** A rail that answers what the test says, call by call, and remembers the ids it was called with. */
class ScriptedRail implements PayoutProvider {
  readonly id = 'sandbox';
  readonly submitted: string[] = [];
  queries = 0;
  constructor(private readonly script: RailAnswer[], private readonly dedupesById = true) {}
  get capabilities() {
    return { dedupesById: this.dedupesById, lateWindowMs: 1, pollScheduleMs: [1_000], callTimeoutMs: 1_000, resolvesNames: true };
  }
  submit(instruction: { attemptId: string }): Promise<RailAnswer> {
    this.submitted.push(instruction.attemptId);
    return this.next();
  }
  query(): Promise<RailAnswer> {
    this.queries += 1;
    return this.next();
  }
  private next(): Promise<RailAnswer> {
    const answer = this.script.shift();
    return answer ? Promise.resolve(answer) : Promise.reject(new Error('the script has ended'));
  }
}

/** One partner with 1,000.00 KES on a road whose rail and clock are the test's. */
class Road {
  readonly partner = ++partner;
  readonly clock = new ManualClock(new Date());
  private readonly store = new TransactionStore(pg.db);
  private readonly writer = new MoveWriter(pg.db, this.clock, silent, new WakeSignal());
  private readonly vault = new DestinationVault(new Cipher([{ id: 'k1', key: Buffer.alloc(32, 7) }]));
  private readonly accept = new AcceptBankTransfer(new TransactionIds(pg.db), this.writer, this.vault, this.clock, SANDBOX_SERVICE_FEES, new WakeSignal());
  private readonly starter: StartPayout;
  private readonly caller: CallRail;
  readonly code = uuidv7();
  id = 0;

  constructor(readonly rail: ScriptedRail | undefined) {
    const machine = new TransactionMachine(this.store, this.writer, this.clock, silent);
    const policy = { parkForMs: 30_000, retryAfterMs: 1_000 };
    const providers = rail ? [rail] : [];
    const wake = { starts: new WakeSignal(), pollAt: () => undefined } as unknown as PayoutWake;
    this.starter = new StartPayout(machine, providers, policy, this.clock, new WakeSignal());
    const answers = new RecordRailAnswer(machine, this.store, providers, policy, this.clock, wake);
    this.caller = new CallRail(providers, this.vault, answers, this.store, this.clock, silent);
  }

  async accepted(): Promise<this> {
    const wallets = new Wallets(pg.db, this.writer, 'sandbox');
    await wallets.openInSandbox({ partner_id: this.partner, openings: [{ currency: 'KES', amount_minor: FUNDS.toString() }] });
    const context: CallContext = { requestId: 'r-1', traceparent: '00-1', deadline: Date.now() + 5_000 };
    const result = await this.accept.run({
      partner_id: this.partner, transaction_code: this.code, fingerprint: 'v1:x', currency: 'KES', amount_minor: AMOUNT.toString(),
      destination: { kind: 'bank', account_number: '1234567890', bank_code: '01', bank_name: 'KCB Bank Kenya' }, callback_url: 'https://x.test/?a=1',
    }, context);
    if (!result.ok) throw new Error(result.error.message);
    this.id = result.value.transaction_id;
    return this;
  }

  async start(): Promise<this> {
    const due = await this.store.dueForStart(this.clock.now(), 1_000);
    for (const snapshot of due.filter(({ terms }) => terms.id === this.id)) await this.starter.run(snapshot);
    return this;
  }

  /** Claims what is due of this road and calls the rail; resolves with the number of calls. */
  async call(purpose: ClaimPurpose): Promise<number> {
    const now = this.clock.now();
    const claimed = await this.store.claim(purpose, now, new Date(now.getTime() + LEASE_MS), 1_000);
    const ours = claimed.filter(({ transaction }) => transaction.terms.id === this.id);
    for (const attempt of ours) await this.caller.run(purpose, attempt);
    return ours.length;
  }

  async row(): Promise<StatusRow> {
    const result = await new GetTransaction(this.store, this.vault).run({ partner_id: this.partner, currency: null, by: { transaction_code: this.code } });
    if (!result.ok) throw new Error(result.error.message);
    return result.value;
  }

  async state(): Promise<string> {
    return (await this.store.byId(this.id))?.life.state ?? 'none';
  }

  async wallet(): Promise<bigint> {
    const [row] = await pg.db.query<{ minor: string }>(`select balance_minor::text as minor from accounts where name = $1`, [`wallet:${this.partner}:KES`]);
    return BigInt(row?.minor ?? -1);
  }

  async told(): Promise<(string | number)[][]> {
    const rows = await pg.db.query<{ envelope: string }>(`select envelope from outbox where key = $1 order by sequence`, [String(this.id)]);
    return rows.map((row) => {
      const event = JSON.parse(row.envelope) as Envelope;
      return [event.type, event.data.public_sequence, event.data.payload.status];
    });
  }
}

const road = async (...script: RailAnswer[]): Promise<Road> => (await new Road(new ScriptedRail(script)).accepted()).start();

describe('the straight road', () => {
  it('pays, settles and tells', async () => {
    const trip = await road({ outcome: 'submitted' }, { outcome: 'submitted' }, PAID);
    expect([await trip.state(), (await trip.row()).status, await trip.wallet()]).toEqual(['SUBMITTING', 'PROCESSING', FUNDS - AMOUNT - FEE]);
    expect(await trip.call('submit')).toBe(1);
    expect(await trip.call('poll')).toBe(0);
    trip.clock.advance(1_000);
    expect(await trip.call('poll')).toBe(1);
    expect(await trip.state()).toBe('SUBMITTED');
    trip.clock.advance(1_000);
    expect(await trip.call('poll')).toBe(1);
    expect(await trip.row()).toMatchObject({
      status: 'COMPLETE', receipt_number: 'R1', public_name: 'TEST 7890', is_released: true, amount: '500.00', service_fee: '30.00',
      fee: '0.00', account_number: '1234567890', bank_code: '01', failure_code: '',
    });
    expect(await trip.wallet()).toBe(FUNDS - AMOUNT - FEE);
    expect(await trip.told()).toEqual([['transaction.processing', 1, 'PROCESSING'], ['transaction.complete', 2, 'COMPLETE']]);
    trip.clock.advance(3_600_000);
    expect([await trip.call('poll'), await trip.call('submit')]).toEqual([0, 0]);
  });

  it('gives everything back when the rail proves that it did not pay', async () => {
    const trip = await road({ outcome: 'submitted' }, NOT_PAID);
    await trip.call('submit');
    trip.clock.advance(1_000);
    await trip.call('poll');
    expect(await trip.row()).toMatchObject({ status: 'FAILED', failure_code: 'recipient_not_found', message: 'The recipient account does not exist.', receipt_number: null });
    expect(await trip.wallet()).toBe(FUNDS);
    expect((await trip.told()).map(([type]) => type)).toEqual(['transaction.processing', 'transaction.failed']);
  });
});

describe('what is not known', () => {
  it('is never failed: the same id is asked about until the rail tells', async () => {
    const rail = new ScriptedRail([UNKNOWN, UNKNOWN, { outcome: 'query_failed', detail: '502' }, PAID], false);
    const trip = await (await new Road(rail).accepted()).start();
    await trip.call('submit');
    expect([await trip.state(), (await trip.row()).status]).toEqual(['IN_DOUBT', 'PROCESSING']);
    for (let polls = 0; polls < 3; polls++) {
      trip.clock.advance(1_000);
      expect(await trip.call('poll')).toBe(1);
    }
    expect([await trip.state(), rail.submitted.length, rail.queries]).toEqual(['COMPLETE', 1, 3]);
  });

  it('goes out again under the same id where the rail dedupes and does not know it', async () => {
    const trip = await road(UNKNOWN, UNKNOWN, { outcome: 'submitted' }, PAID);
    await trip.call('submit');
    expect(await trip.state()).toBe('IN_DOUBT');
    trip.clock.advance(1_000);
    await trip.call('poll');
    expect([await trip.state(), trip.rail?.submitted.length, new Set(trip.rail?.submitted).size]).toEqual(['SUBMITTED', 2, 1]);
    trip.clock.advance(1_000);
    await trip.call('poll');
    expect(await trip.state()).toBe('COMPLETE');
  });

  it('a submit that was interrupted goes out again under the same id where the rail dedupes', async () => {
    const trip = await road(PAID);
    const now = trip.clock.now();
    await new TransactionStore(pg.db).claim('submit', now, new Date(now.getTime() + LEASE_MS), 1_000);
    expect(await trip.call('submit')).toBe(0);
    trip.clock.advance(LEASE_MS + 1);
    expect(await trip.call('submit')).toBe(1);
    expect([await trip.state(), new Set(trip.rail?.submitted).size]).toEqual(['COMPLETE', 1]);
  });

  it('a submit that was interrupted is only asked about where the rail does not', async () => {
    const trip = await (await new Road(new ScriptedRail([PAID], false)).accepted()).start();
    const now = trip.clock.now();
    await new TransactionStore(pg.db).claim('submit', now, new Date(now.getTime() + LEASE_MS), 1_000);
    trip.clock.advance(LEASE_MS + 1);
    await trip.call('submit');
    expect([await trip.state(), trip.rail?.submitted]).toEqual(['IN_DOUBT', []]);
    trip.clock.advance(1_000);
    await trip.call('poll');
    expect([await trip.state(), trip.rail?.submitted]).toEqual(['COMPLETE', []]);
  });

  it('another amount than ours is held for review', async () => {
    const trip = await road({ outcome: 'mismatch', detail: 'amount' });
    await trip.call('submit');
    expect([await trip.state(), (await trip.row()).status, await trip.wallet()]).toEqual(['REVIEW', 'PROCESSING', FUNDS - AMOUNT - FEE]);
  });
});

describe('a rail that cannot take it', () => {
  it('parks the payment, tries again under a new id, and pays', async () => {
    const trip = await road(NO_FLOAT, PAID);
    await trip.call('submit');
    expect(await trip.state()).toBe('QUEUED');
    await trip.start();
    expect(await trip.state()).toBe('QUEUED');
    trip.clock.advance(1_000);
    await trip.start();
    await trip.call('submit');
    expect([await trip.state(), new Set(trip.rail?.submitted).size]).toEqual(['COMPLETE', 2]);
  });

  it('fails it at the deadline and gives the money back', async () => {
    const trip = await (await new Road(undefined).accepted()).start();
    expect(await trip.state()).toBe('QUEUED');
    trip.clock.advance(1_000);
    await trip.start();
    expect(await trip.state()).toBe('QUEUED');
    trip.clock.advance(29_000);
    await trip.start();
    expect(await trip.row()).toMatchObject({ status: 'FAILED', failure_code: 'rail_unavailable' });
    expect(await trip.wallet()).toBe(FUNDS);
    expect((await trip.told()).map(([type]) => type)).toEqual(['transaction.processing', 'transaction.failed']);
  });

  it('a payment that came back is settled and unsettled in one commit, with both webhooks', async () => {
    const trip = await road({ outcome: 'submitted' }, { outcome: 'reversed', receipt: 'R9', detail: 'returned' });
    await trip.call('submit');
    trip.clock.advance(1_000);
    await trip.call('poll');
    expect(await trip.row()).toMatchObject({ status: 'REVERSED', receipt_number: 'R9' });
    expect(await trip.wallet()).toBe(FUNDS);
    expect((await trip.told()).map(([, , status]) => status)).toEqual(['PROCESSING', 'COMPLETE', 'REVERSED']);
  });
});
