import type { Envelope, EventType } from '@vuka/contracts';
import { appendToOutbox, newEnvelope } from '@vuka/messaging';
import { recordAuditEntry, type Database, type Transaction } from '@vuka/persistence';
import { type Clock, maskText, type WakeSignal } from '@vuka/runtime';

import type { LockedRefund, RefundInHand } from './refund-in-hand.js';
import { RefundStore } from './refund.store.js';

/** `fence` null: a person's request, valid in any turn. */
export interface RefundNamed extends Pick<
  RefundInHand,
  'refundId' | 'partnerId' | 'depositId' | 'depositWas' | 'correlationId' | 'causationId'
> {
  readonly fence: number | null;
}

/** Makes a note on the refund and an audit entry. */
export interface PeoplesWord {
  readonly by: string;
  readonly reason: string;
}

/** `sequence`: of this commit's event. */
export interface Told {
  readonly tx: Transaction;
  readonly refund: RefundNamed;
  readonly sequence: number;
  readonly now: Date;
}

export class RefundCommit {
  public constructor(
    private readonly db: Pick<Database, 'inTransaction'>,
    private readonly outboxSignal: WakeSignal,
    private readonly clock: Clock,
  ) {}

  /** Locks first, so that outbox order is commit order. `lapsed`: another turn has begun, or it has ended. */
  public async run<T extends string>(
    refund: RefundNamed,
    work: (told: Told, locked: LockedRefund) => Promise<T | 'lapsed'>,
  ): Promise<T | 'lapsed'> {
    const recorded = await this.db.inTransaction<T | 'lapsed'>(
      async (tx) => {
        const locked = await RefundStore.lock(tx, refund.refundId, refund.fence);
        return locked === undefined
          ? 'lapsed'
          : work({ tx, refund, sequence: locked.sequence + 1, now: this.clock.now() }, locked);
      },
      { retries: 2 },
    );
    if (recorded !== 'lapsed') this.outboxSignal.notify();
    return recorded;
  }
}

export function tell(
  told: Told,
  type: 'refund.signed' | 'refund.broadcast' | 'refund.confirmed',
  transactionHash: string,
): Promise<void> {
  const { refundId, partnerId } = told.refund;
  return append(told, type, { refund_id: refundId, partner_id: partnerId, transaction_hash: transactionHash });
}

export async function append<T extends EventType>(
  { tx, refund, sequence, now }: Told,
  type: T,
  data: Envelope<T>['data'],
): Promise<void> {
  const { correlationId, causationId } = refund;
  await appendToOutbox(tx, [
    newEnvelope({
      type,
      key: String(refund.refundId),
      sequence,
      occurredAt: now,
      correlationId,
      causationId,
      producer: 'offramp',
      data,
    }),
  ]);
}

export async function noteWord(told: Told, act: string, word: PeoplesWord): Promise<void> {
  await RefundStore.note(told.tx, told.refund.refundId, `${word.by}: ${word.reason}`);
  await noteAuditEntry(told, act, word);
}

export async function noteAuditEntry(
  { tx, refund: { refundId, partnerId }, now }: Told,
  act: string,
  { by, reason }: PeoplesWord,
): Promise<void> {
  await recordAuditEntry(tx, {
    by,
    act,
    partnerId,
    subject: `refund ${String(refundId)}`,
    reason: maskText(reason),
    at: now,
  });
}
