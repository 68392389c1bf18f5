import { EVENTS, type Envelope } from '@vuka/contracts';
import { fail, ok, type Problem, type Result } from '@vuka/domain';
import { newEnvelope } from '@vuka/messaging';
import type { Database } from '@vuka/persistence';
import { armCrashPoint, createLogger, type Logger, ManualClock, Metrics, uuidv7, WakeSignal } from '@vuka/runtime';

import type { RefundWallets } from '../addresses/refund-wallets.js';
import { RefundAdmin } from '../admin/refund-admin.js';
import { ClaimWatch } from '../claim-work/claim-watch.js';
import { OfframpMetrics } from '../claim-work/offramp-metrics.js';
import { RecheckStore } from '../claims/recheck.store.js';
import { RecordReversal } from '../rechecks/record-reversal.js';
import { RecordPartnerStatus } from '../refund-intake/record-partner-status.js';
import { RefundHold } from '../refund-intake/refund-hold.js';
import { TakeRefund } from '../refund-intake/take-refund.js';
import { DueRefunds } from '../refunds/due-refunds.js';
import { RecordRefund } from '../refunds/record-refund.js';
import { RefundStore } from '../refunds/refund.store.js';
import { TransferStore } from '../refunds/transfer.store.js';
import { SwitchStore } from '../switches/switch.store.js';
import { Switches } from '../switches/switches.js';
import { hashOf, startTestDatabase, type TestDatabase } from '../testing/offramp.spec-support.js';
import { AwaitSignature } from './await-signature.js';
import { FollowTransfer } from './follow-transfer.js';
import { HandChain, NOW, SECRET, WALLET } from './hand-chain.spec-support.js';
import { OutgoingChains } from './outgoing-chains.js';
import { PrepareTransfer } from './prepare-transfer.js';
import { Hindrances } from './refund-guards.js';
import { RefundTurn } from './refund-turn.js';
import { SignTransfer } from './sign-transfer.js';
import { TurnWaits } from './turn-waits.js';
import { WorkOnRefunds } from './work-on-refunds.js';

export { HandChain, NOW, WALLET } from './hand-chain.spec-support.js';

export const RECIPIENT = '0x00000000000000000000000000000000000000B2';

/** Several processes on one database. */
export class RefundFixture {
  public clock = new ManualClock(NOW);
  public chain = this.newChain();
  public lines: Record<string, unknown>[] = [];
  public wallets: RefundWallets = bothWallets(SECRET);
  public off: string | null = null;
  public readonly listed = new Set<string>();
  public address: Result<string> = ok(RECIPIENT);
  public log: Logger = createLogger('test', { level: 'silent' });

  private constructor(
    private readonly database: TestDatabase,
    public readonly db: Database,
  ) {}

  public static async open(): Promise<RefundFixture> {
    const database = await startTestDatabase();
    const db = await database.connect();
    return new RefundFixture(database, db);
  }

  public get config(): TestDatabase['config'] {
    return this.database.config;
  }

  public async close(): Promise<void> {
    await this.database.stop();
  }

  public async reset(): Promise<void> {
    armCrashPoint(undefined);
    await this.db.query(
      'truncate claims, deposits, reverted_deposits, inbox, outbox, refunds, refund_transfers, refund_places, refund_rents, partner_statuses',
    );
    [this.clock, this.chain, this.lines, this.off, this.address] = [
      new ManualClock(NOW),
      this.newChain(),
      [],
      null,
      ok(RECIPIENT),
    ];
    this.wallets = bothWallets(SECRET);
    this.listed.clear();
    this.log = createLogger('test', {
      destination: { write: (line: string) => void this.lines.push(JSON.parse(line) as Record<string, unknown>) },
    });
  }

  public offline(): void {
    this.wallets = bothWallets(null);
  }

  public refuseAddress(): void {
    const problem: Problem = { code: 'invalid_request', message: 'it is ours' };
    this.address = fail(problem);
  }

  public on(chain: string): void {
    this.chain = this.newChain(chain);
  }

  private newChain(chain = 'CELO'): HandChain {
    return new HandChain(() => this.clock.now().getTime(), chain);
  }

  public get record(): RecordRefund {
    return new RecordRefund(this.db, new WakeSignal(), this.clock);
  }

  public get sign(): SignTransfer {
    return new SignTransfer(this.record, () => Promise.resolve(this.chain.signer));
  }

  public worker(leaseMs = 60_000): WorkOnRefunds {
    const guards = {
      checkAddress: () => Promise.resolve(this.address),
      whyOff: () => Promise.resolve(this.off),
      isListed: (_chain: string, address: string) => Promise.resolve(this.listed.has(address)),
    };
    const { record, sign, log } = this;
    const transfers = new TransferStore(this.db);
    // The test may replace the chain while a process runs.
    const opensNone = () => Promise.reject(new Error('the fixture has the chain'));
    const outgoing = Object.assign(new OutgoingChains(new Set(), opensNone, transfers), {
      of: () => Promise.resolve(this.chain),
    });
    const waits = new TurnWaits(record, this.clock);
    const hindrances = new Hindrances(guards, record, waits);
    const turn = new RefundTurn(
      this.wallets,
      new PrepareTransfer(outgoing, guards, record, hindrances, waits),
      new AwaitSignature(outgoing, transfers, sign, record, hindrances, waits),
      new FollowTransfer(outgoing, sign, record, hindrances, waits, log),
      waits,
      log,
    );
    const chains = new Set([this.chain.chain]);
    const limits = { perChain: 8, leaseMs };
    return new WorkOnRefunds(new RefundStore(this.db), chains, turn, new DueRefunds(), this.clock, limits);
  }

  public admin(): RefundAdmin {
    const { db, clock, record, sign } = this;
    const switches = new Switches(new SwitchStore(db), clock);
    return new RefundAdmin(new RefundStore(db), new TransferStore(db), record, sign, switches, clock);
  }

  /** 12.5 USDC of partner 1. */
  public async held(refundId: number, state: 'unapplied' | 'consumed' | 'credited' = 'unapplied'): Promise<number> {
    const depositId = await this.deposit(refundId, state);
    await this.intake().run(this.heldEvent(refundId, depositId));
    await this.hold().granted(this.grantedEvent(refundId));
    return depositId;
  }

  public intake(): TakeRefund {
    return new TakeRefund(this.db, this.clock);
  }

  public hold(): RefundHold {
    return new RefundHold(this.db, this.record, new DueRefunds(), this.clock);
  }

  public grantedEvent(refundId: number): Envelope<'refund.granted'> {
    return newEnvelope({ type: 'refund.granted', ...this.afterHeld(refundId) });
  }

  public withdrawnEvent(refundId: number): Envelope<'refund.withdrawn'> {
    return newEnvelope({ type: 'refund.withdrawn', ...this.afterHeld(refundId) });
  }

  private afterHeld(refundId: number) {
    return {
      key: String(refundId),
      sequence: 2,
      occurredAt: NOW,
      correlationId: 'request-1',
      causationId: '00-trace-1',
      producer: 'payments',
      data: { refund_id: refundId, partner_id: 1 },
    } as const;
  }

  public heldEvent(refundId: number, depositId: number): Envelope<'refund.held'> {
    return {
      id: uuidv7(), type: 'refund.held', version: EVENTS['refund.held'].version, key: String(refundId), sequence: 1, occurredAt: NOW.toISOString(), correlationId: 'request-1', causationId: '00-trace-1', producer: 'payments',
      data: { refund_id: refundId, partner_id: 1, deposit_id: depositId, chain: this.chain.chain, asset: `USDC@${this.chain.chain}`, decimals: 6, amount_minor: '12500000', address: RECIPIENT },
    }; // prettier-ignore
  }

  public async deposit(n: number, state: string): Promise<number> {
    await this.db.query(
      `insert into claims (transaction_id, partner_id, chain, transaction_hash, currency, amount_minor, accepted_at, deadline, state, correlation_id, causation_id, created_at, judged_at)
       values ($1, 1, 'CELO', $2, 'KES', 100000, $3, $3, 'unapplied', 'r', 't', $3, $3)`,
      [n, hashOf(n), NOW],
    );
    const [row] = await this.db.query<{ id: string }>(
      `insert into deposits (chain, transaction_hash, address, asset, token, decimals, received_minor, partner_id, claim_id, state, screening_hit, rate, block_number, block_hash, block_time, rule_version, evidence, created_at, settled_at, finalized_at)
       values ('CELO', $1, '0xdep', 'USDC@CELO', '0xtok', 6, 12500000, 1, $2, $3, false, '129', 1, '0xb', $4, 1, '{}', $4, case when $3 = 'credited' then $4::timestamptz end, $4) returning id`,
      [hashOf(n), n, state, NOW],
    );
    return Number(row?.id);
  }

  public async stays(depositId: number, stays: boolean): Promise<void> {
    await this.db.query('update deposits set finalized_at = $2 where id = $1', [depositId, stays ? NOW : null]);
  }

  public async marked(depositId: number): Promise<void> {
    await this.db.query('update deposits set screening_hit = true where id = $1', [depositId]);
  }

  public async partner(status: 'active' | 'suspended', sequence: number): Promise<void> {
    await new RecordPartnerStatus(this.db, new DueRefunds(), this.clock).run({
      id: uuidv7(),
      type: status === 'active' ? 'partner.resumed' : 'partner.suspended',
      version: 1,
      key: '1',
      sequence,
      occurredAt: NOW.toISOString(),
      correlationId: 'c',
      causationId: '',
      producer: 'gateway',
      data: { partner_id: 1, status },
    });
  }

  /** Records the reversal too. */
  public async vanish(depositId: number): Promise<void> {
    await this.db.query('update deposits set finalized_at = null, recheck_at = $2 where id = $1', [depositId, NOW]);
    const due = await new RecheckStore(this.db).claim(NOW, NOW, [{ chain: 'CELO', free: 100 }]);
    const deposit = due.find((one) => one.depositId === depositId);
    if (deposit === undefined) throw new Error(`deposit ${String(depositId)} is not due`);
    const metrics = new OfframpMetrics(new Metrics('offramp'), new ClaimWatch(this.db), this.clock);
    await new RecordReversal(this.db, new WakeSignal(), metrics, this.clock, this.log).run(deposit, 5_000);
  }

  /** Only moves the row. */
  public async revert(depositId: number): Promise<void> {
    await this.db.query('delete from deposits where id = $1', [depositId]);
  }

  /** All at once; after each round time passes until the next turn is due. */
  public async rounds(count: number, ...workers: WorkOnRefunds[]): Promise<void> {
    for (let round = 0; round < count; round += 1) {
      await Promise.all(workers.map((worker) => worker.tick()));
      await Promise.all(workers.map((worker) => worker.drain()));
      this.clock.advance(30_000);
    }
  }

  public states(): Promise<{ id: number; state: string; reason: string | null; trouble: string | null }[]> {
    return this.db.query('select refund_id::integer as id, state, reason, trouble from refunds order by refund_id');
  }

  public async state(refundId = 1): Promise<string> {
    const found = (await this.states()).find(({ id }) => id === refundId);
    return found === undefined ? 'none' : [found.state, found.reason ?? found.trouble].filter(Boolean).join(' ');
  }

  public async depositState(depositId: number): Promise<string | undefined> {
    return (await this.db.query<{ state: string }>('select state from deposits where id = $1', [depositId]))[0]?.state;
  }

  public versions(): Promise<{ refund: number; version: number; state: string; place: number }[]> {
    return this.db.query(
      'select refund_id::integer as refund, version, state, place::integer as place from refund_transfers order by 1, 2',
    );
  }

  /** In outbox order. */
  public async kinds(): Promise<string[]> {
    const rows = await this.db.query<{ kind: string }>(
      `select (envelope::jsonb ->> 'type') || ' ' || key || '_' || sequence as kind from outbox order by xid, id`,
    );
    return rows.map(({ kind }) => kind);
  }
}

/** Solana as if it were an EVM chain. */
function bothWallets(secret: string | null): RefundWallets {
  return new Map([
    ['evm', { address: WALLET, secret }],
    ['solana', { address: WALLET, secret }],
  ]);
}
