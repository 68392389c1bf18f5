import type { Acceptance, CallContext, DepositFacts, Envelope, EventType } from '@vuka/contracts';
import { money, type Problem, type Result } from '@vuka/domain';
import { newEnvelope } from '@vuka/messaging';
import { ManualClock } from '@vuka/runtime';

import { CreditDeposit } from '../deposits/credit-deposit.js';
import { RecordReversal } from '../deposits/record-reversal.js';
import { RecordVerdict, type VerdictEvent } from '../deposits/record-verdict.js';
import { AcceptPay, type AcceptPayInput } from '../payouts/accept/accept-pay.js';
import { DepositStore } from '../value/deposit.store.js';
import { Wallets } from '../wallets/wallets.js';
import { partsOn } from './parts.spec-support.js';
import type { PaymentsDatabase } from './payments-database.spec-support.js';
import { AMOUNT, Harness, ScriptedProvider } from './payout-harness.spec-support.js';

let deposits = 0;
let hashes = 0;

export const nextDepositId = (): number => ++deposits;
/** Canonical and unique. */
export const nextHash = (): string => `0x${(++hashes).toString(16).padStart(64, '0')}`;

/** Enough decimals to see floors. */
export const RATE = '129.3517';

/** Float for a suite: its partners have no opened wallets. */
export async function fundProviders(pg: PaymentsDatabase, currencies: readonly string[] = ['KES']): Promise<void> {
  const openings = currencies.map((currency) => ({ currency, amount_minor: '1000000000' }));
  const providers = ['sandbox', 'sandbox_b'].map((id) => new ScriptedProvider([], true, id));
  await partsOn(pg.db, new ManualClock(new Date()), providers).get(Wallets).openInSandbox({
    partner_id: 1_000_000,
    openings,
  });
}

/** A partner with an empty wallet who pays by deposit: 500.00 KES by default. */
export class PayHarness extends Harness {
  readonly hash = nextHash();
  readonly acceptPay: AcceptPay;
  readonly verdicts: RecordVerdict;
  readonly reversals: RecordReversal;
  readonly credits: CreditDeposit;
  readonly deposits: DepositStore;
  private sequence = 0;

  constructor(pg: PaymentsDatabase, provider?: ScriptedProvider, ...others: ScriptedProvider[]) {
    super(pg, provider, ...others);
    this.deposits = this.parts.get(DepositStore);
    this.acceptPay = this.parts.get(AcceptPay);
    this.reversals = this.parts.get(RecordReversal);
    this.verdicts = this.parts.get(RecordVerdict);
    this.credits = this.parts.get(CreditDeposit);
  }

  input(more: Partial<AcceptPayInput> = {}): AcceptPayInput {
    return {
      partner_id: this.partner,
      transaction_code: this.code,
      fingerprint: 'v1:pay',
      currency: 'KES',
      amount_minor: '50000',
      fee_minor: '0',
      destination: { kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' },
      callback_url: 'https://x.test/?a=1',
      chain: 'CELO',
      transaction_hash: this.hash,
      asset: null,
      quote_id: null,
      refund_address: null,
      ...more,
    };
  }

  ask(more: Partial<AcceptPayInput> = {}): Promise<Result<Acceptance, Problem>> {
    const context: CallContext = { requestId: 'r-1', traceparent: '00-1', deadline: Number.MAX_SAFE_INTEGER };
    return this.acceptPay.run(this.input(more), context);
  }

  async payAccepted(more: Partial<AcceptPayInput> = {}): Promise<this> {
    const result = await this.ask(more);
    if (!result.ok) throw new Error(result.error.message);
    this.id = result.value.transaction_id;
    return this;
  }

  facts(more: Partial<DepositFacts> = {}): DepositFacts {
    return {
      deposit_id: nextDepositId(),
      chain: 'CELO',
      asset: 'USDC@CELO',
      decimals: 6,
      received_minor: '4000000',
      transaction_hash: this.hash,
      block_number: 1,
      block_time: new Date().toISOString(),
      ...more,
    };
  }

  event<T extends EventType>(
    type: T,
    data: Omit<Envelope<T>['data'], 'claim_id' | 'partner_id'>,
    ids: { claim_id?: number; partner_id?: number } = {},
  ): Envelope<T> {
    return newEnvelope({
      type,
      key: String(this.id),
      sequence: ++this.sequence,
      occurredAt: this.clock.now(),
      correlationId: 'r',
      causationId: 't',
      producer: 'offramp',
      data: { claim_id: this.id, partner_id: this.partner, ...ids, ...data } as unknown as Envelope<T>['data'],
    });
  }

  async tell(event: VerdictEvent): Promise<this> {
    await this.verdicts.run(event);
    return this;
  }

  /**
   * QUEUED with a payment of ours: the first provider refused, paid later while the second had it, and that one
   * deferred. Needs two providers; the first has only this script.
   */
  async paidWhileQueued(): Promise<this> {
    const [first, second] = this.providers;
    first?.will(
      { outcome: 'not_paid', code: 'rail_rejected', routeLeft: true, detail: '' },
      { outcome: 'succeeded', receipt: 'A1', publicName: null, amount: money(AMOUNT, 'KES'), recipient: '1' },
    );
    second?.will({ outcome: 'submitted' }, { outcome: 'not_paid', code: 'rail_rejected', routeLeft: true, detail: '' });
    for (let tried = 0; tried < this.providers.length; tried += 1) {
      await this.start();
      await this.call('submit');
    }
    this.clock.advance(10_000);
    await this.call('watch');
    await this.call('poll');
    return this;
  }

  seen(): Promise<this> {
    return this.tell(this.event('deposit.seen', {}));
  }

  verified(deposit: DepositFacts, more: Partial<Envelope<'deposit.verified'>['data']> = {}): Promise<this> {
    return this.tell(
      this.event('deposit.verified', {
        deposit,
        also: [],
        rate: RATE,
        quote_passed_over: null,
        screening_hit: false,
        ...more,
      }),
    );
  }

  unusable(reason: Envelope<'deposit.unusable'>['data']['reason'], releases_claim: boolean): Promise<this> {
    return this.tell(this.event('deposit.unusable', { reason, releases_claim }));
  }

  unapplied(deposit: DepositFacts, more: Partial<Envelope<'deposit.unapplied'>['data']> = {}): Promise<this> {
    return this.tell(this.event('deposit.unapplied', { deposit, also: [], reason: 'underpaid', rate: RATE, ...more }));
  }

  reverted(deposit: DepositFacts): Promise<void> {
    return this.reversals.run(this.event('deposit.reverted', { deposit }));
  }

  credited(deposit: DepositFacts, more: Partial<Envelope<'deposit.credited'>['data']> = {}): Promise<void> {
    return this.credits.run(this.event('deposit.credited', { deposit, currency: 'KES', rate: RATE, ...more }));
  }

  /** 0 without an account. */
  held(): Promise<bigint> {
    return this.balance(`held:${this.partner}:KES`, 0);
  }

  on(kind: 'wallet' | 'unapplied' | 'refunding', asset = 'USDC@CELO'): Promise<bigint> {
    return this.balance(`${kind}:${this.partner}:${asset}`, 0);
  }

  /** Sum over this transaction's postings. */
  async flow(account: string): Promise<bigint> {
    const [row] = await this.pg.db.query<{ minor: string }>(
      `select coalesce(sum(case when a.id = e.to_account then e.amount_minor else -e.amount_minor end), 0)::text as minor
         from entries e join postings q on q.id = e.posting_id join accounts a on a.id in (e.from_account, e.to_account) where q.transaction_id = $1 and a.name = $2`,
      [this.id, account],
    );
    return BigInt(row?.minor ?? 0);
  }

  async depositStates(): Promise<[number, string][]> {
    const rows = await this.pg.db.query<{ deposit_id: string; state: string }>(
      'select deposit_id::text as deposit_id, state from deposits where transaction_id = $1 order by deposits.deposit_id',
      [this.id],
    );
    return rows.map((row) => [Number(row.deposit_id), row.state]);
  }
}
