import type { DepositFacts, Envelope, RefundView } from '@vuka/contracts';
import type { Result } from '@vuka/domain';
import { newEnvelope } from '@vuka/messaging';

import { GrantRefunds } from '../refunds/grant-refunds.js';
import { RecordRefund, type RefundEvent } from '../refunds/record-refund.js';
import { RequestRefund, type RequestRefundInput } from '../refunds/request-refund.js';
import { statusRowOf } from '../transactions/status/status-row.js';
import { RefundStore } from '../value/refund.store.js';
import { PayHarness } from './pay-harness.spec-support.js';
import type { PaymentsDatabase } from './payments-database.spec-support.js';
import type { ScriptedProvider } from './payout-harness.spec-support.js';

export const ADDRESS = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B';
export const OTHER_ADDRESS = '0x00000000219ab540356cBB839Cbe05303d7705Fa';

export interface RefundCheck {
  readonly state: string;
  readonly failure: string | null;
  readonly transaction_hash: string | null;
}

export class RefundHarness extends PayHarness {
  readonly refunds: RefundStore;
  readonly requests: RequestRefund;
  readonly records: RecordRefund;
  readonly grants: GrantRefunds;
  private heard = 0;

  constructor(pg: PaymentsDatabase, provider?: ScriptedProvider, ...others: ScriptedProvider[]) {
    super(pg, provider, ...others);
    this.refunds = this.parts.get(RefundStore);
    this.requests = this.parts.get(RequestRefund);
    this.records = this.parts.get(RecordRefund);
    this.grants = this.grantsAfter(() => Promise.resolve());
  }

  /** `meanwhile` runs between the grant's read and its commit. */
  grantsAfter(meanwhile: () => Promise<unknown>): GrantRefunds {
    const grantable: RefundStore['grantable'] = async (...asked) => {
      const found = await this.refunds.grantable(...asked);
      await meanwhile();
      return found;
    };
    return this.partsWith([RefundStore, { grantable }]).get(GrantRefunds);
  }

  requestRefund(more: Partial<RequestRefundInput> = {}): Promise<Result<RefundView>> {
    const input: RequestRefundInput = {
      partner_id: this.partner,
      chain: 'CELO',
      transaction_hash: this.hash,
      refund_address: ADDRESS,
      order_id: null,
      reference: null,
      default_url: null,
      ...more,
    };
    return this.requests.run(input, { requestId: 'r-9', traceparent: '00-9', deadline: Number.MAX_SAFE_INTEGER });
  }

  async refunded(more: Partial<RequestRefundInput> = {}): Promise<number> {
    const result = await this.requestRefund(more);
    if (!result.ok) throw new Error(result.error.message);
    return result.value.refund_id;
  }

  refundEvent(
    type: RefundEvent['type'],
    refundId: number,
    more: {
      hash?: string;
      reason?: Envelope<'refund.failed'>['data']['reason'];
      sequence?: number;
      partner?: number;
    } = {},
  ): RefundEvent {
    const data =
      type === 'refund.failed'
        ? { reason: more.reason ?? 'transfer_failed' }
        : { transaction_hash: more.hash ?? '0xsent' };
    return newEnvelope({
      type,
      key: String(refundId),
      sequence: more.sequence ?? ++this.heard,
      occurredAt: this.clock.now(),
      correlationId: 'r',
      causationId: 't',
      producer: 'offramp',
      data: { refund_id: refundId, partner_id: more.partner ?? this.partner, ...data },
    }) as RefundEvent;
  }

  /** Grants first, if the event needs it. */
  async tellRefund(
    type: RefundEvent['type'],
    refundId: number,
    more: Parameters<RefundHarness['refundEvent']>[2] = {},
  ): Promise<void> {
    if (type !== 'refund.failed') await this.grants.run();
    return this.records.run(this.refundEvent(type, refundId, more));
  }

  async refundCheck(refundId: number): Promise<RefundCheck> {
    const [row] = await this.pg.db.query<RefundCheck & Record<string, unknown>>(
      'select state, failure, transaction_hash from refunds where refund_id = $1',
      [refundId],
    );
    if (!row) throw new Error(`no refund ${refundId}`);
    return { state: row.state, failure: row.failure, transaction_hash: row.transaction_hash };
  }

  /** The public row's `refund`. */
  async refundColumn(): Promise<string> {
    const snapshot = await this.store.byId(this.id);
    if (!snapshot) throw new Error('the transaction is gone');
    return statusRowOf(snapshot, this.vault).refund;
  }

  /** Events to offramp, in order. */
  async toldOf(refundId: number): Promise<string[]> {
    const rows = await this.pg.db.query<{ type: string }>(
      `select envelope::json ->> 'type' as type from outbox where topic = 'payments.refund.events.v1' and key = $1 order by id`,
      [String(refundId)],
    );
    return rows.map(({ type }) => type);
  }

  /** From the outbox. */
  async heldEvents(refundIds: readonly number[]): Promise<Envelope<'refund.held'>['data'][]> {
    const rows = await this.pg.db.query<{ envelope: string }>(
      `select envelope from outbox where topic = 'payments.refund.events.v1' and key = any ($1::text[]) and envelope::json ->> 'type' = 'refund.held' order by id`,
      [refundIds.map(String)],
    );
    return rows.map(({ envelope }) => (JSON.parse(envelope) as Envelope<'refund.held'>).data);
  }

  /** Balances of the deposits' value. */
  async money(): Promise<Record<string, bigint>> {
    const [unapplied, refunding, wallet, chain, owed] = await Promise.all([
      this.on('unapplied'),
      this.on('refunding'),
      this.on('wallet', 'KES'),
      this.flow('chain:CELO:USDC@CELO'),
      this.balance(`receivable:${this.partner}:KES`, 0),
    ]);
    return { unapplied, refunding, wallet, chain, owed };
  }

  /** With an address (refund_held); its provider refuses. */
  async failedPay(): Promise<{ readonly deposit: DepositFacts; readonly refundId: number }> {
    const deposit = this.facts({ received_minor: '3866000' });
    await this.payAccepted({ refund_address: ADDRESS });
    await this.verified(deposit);
    await this.start();
    await this.call('submit');
    const [row] = await this.pg.db.query<{ refund_id: string }>(
      'select refund_id::text as refund_id from refunds where transaction_id = $1',
      [this.id],
    );
    return { deposit, refundId: Number(row?.refund_id) };
  }

  async underpaid(deposit: DepositFacts = this.facts({ received_minor: '1000000' })): Promise<DepositFacts> {
    await this.payAccepted();
    await this.unapplied(deposit);
    return deposit;
  }

  async openIncidents(): Promise<[string, number][]> {
    const rows = await this.pg.db.query<{ event: string; times: number }>(
      'select event, times from incidents where transaction_id = $1 and resolved_at is null order by id',
      [this.id],
    );
    return rows.map(({ event, times }) => [event, times]);
  }
}

/** Paid, then the deposit vanishes: the partner owes and is frozen. */
export async function owing(paid: RefundHarness): Promise<void> {
  const deposit = paid.facts({ received_minor: '3866000' });
  await paid.payAccepted();
  await paid.verified(deposit);
  await paid.start();
  await paid.call('submit');
  await paid.reverted(deposit);
}

/** Not frozen any more, but still in debt. */
export async function settled(pg: PaymentsDatabase, { id }: RefundHarness): Promise<void> {
  await pg.db.query(
    `update incidents set resolved_at = now(), resolved_by = 'ann', resolution = 'seen' where transaction_id = $1`,
    [id],
  );
}
