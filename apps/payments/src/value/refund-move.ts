import type { Envelope, RefundView } from '@vuka/contracts';
import {
  assetSymbol,
  chainNamed,
  compare,
  encodeMinor,
  leastRefund,
  PUBLIC_REFUND_STATUS,
  unitOf,
  type Deposit,
  type RefundState,
} from '@vuka/domain';
import { newEnvelope } from '@vuka/messaging';

import { groundOfPay, refundTold, type StepTrace } from './refund-webhook.js';
import type { PaymentCommit, NewRefund, RefundPatch } from '../commit/index.js';
import type { TransactionSnapshot } from '../transactions/index.js';

/** Throws if the pay cannot have a refund: a bug. */
export function refundOfPay({ details, pay, deposit }: TransactionSnapshot, refundId: number | undefined): NewRefund {
  if (refundId === undefined || !deposit || !pay || pay.refundAddress === null)
    throw new Error(`transaction ${details.id} has nothing to send back`);
  return {
    refundId,
    partnerId: details.partnerId,
    transactionId: details.id,
    depositId: deposit.depositId,
    chain: deposit.chain,
    amount: deposit.received,
    decimals: deposit.decimals,
    address: pay.refundAddress,
    origin: 'refund_held',
  };
}

/** Below the chain's minimum for transfers. A held refund is sent anyway, because it was accepted. */
export function isTooLittle(value: Omit<Deposit, 'depositId'>): boolean {
  const known = chainNamed(value.chain);
  return known !== undefined && compare(value.received, leastRefund(known, unitOf(value))) < 0;
}

/** In the commit that holds the value. */
export function heldEvent(
  refund: NewRefund,
  at: Date,
  { requestId, traceparent }: { readonly requestId: string; readonly traceparent: string },
): Envelope<'refund.held'> {
  return newEnvelope({
    type: 'refund.held',
    key: String(refund.refundId),
    sequence: 1,
    occurredAt: at,
    correlationId: requestId,
    causationId: traceparent,
    producer: 'payments',
    data: {
      refund_id: refund.refundId,
      partner_id: refund.partnerId,
      deposit_id: refund.depositId,
      chain: refund.chain,
      asset: refund.amount.currency,
      decimals: refund.decimals,
      amount_minor: encodeMinor(refund.amount),
      address: refund.address,
    },
  });
}

type Named = Pick<NewRefund, 'refundId' | 'partnerId'>;

/** In the commit that grants it: it may be signed. */
export function grantedEvent(
  { refundId, partnerId }: Named,
  at: Date,
  { requestId, traceparent }: { readonly requestId: string; readonly traceparent: string },
): Envelope<'refund.granted'> {
  return newEnvelope({
    type: 'refund.granted',
    ...afterHeld(refundId, at),
    correlationId: requestId,
    causationId: traceparent,
    data: { refund_id: refundId, partner_id: partnerId },
  });
}

export const PAID_AFTER_ALL = 'paid_after_all';

/** In the commit that ends it before its grant: offramp would not notice otherwise. */
export function withdrawnEvents(
  patches: readonly RefundPatch[] | undefined,
  partnerId: number,
  { at, requestId, traceparent }: StepTrace,
): Envelope<'refund.withdrawn'>[] {
  return (patches ?? [])
    .filter(({ expected, state }) => expected === 'HELD' && state === 'FAILED')
    .map(({ refundId }) =>
      newEnvelope({
        type: 'refund.withdrawn',
        ...afterHeld(refundId, at),
        correlationId: requestId,
        causationId: traceparent,
        data: { refund_id: refundId, partner_id: partnerId },
      }),
    );
}

/** The payment became known before the grant. A refund without a row is never made. */
export function withdrawnPart(
  snapshot: TransactionSnapshot,
  at: Date,
): { readonly patch: RefundPatch; readonly events: PaymentCommit['outbox'] } | null {
  const { details, liveRefund } = snapshot;
  if (liveRefund === null) return null;
  const { refundId } = liveRefund;
  const told = refundTold(
    refundOfPay(snapshot, refundId),
    groundOfPay(snapshot),
    { from: 'HELD', to: 'FAILED', transactionHash: null, failure: PAID_AFTER_ALL },
    { at, ...details },
  );
  const patch: RefundPatch = { refundId, expected: 'HELD', state: 'FAILED', failure: PAID_AFTER_ALL };
  return { patch, events: [...withdrawnEvents([patch], details.partnerId, { at, ...details }), ...told] };
}

/** Sequence 2: only one of the two events follows `refund.held`. */
function afterHeld(
  refundId: number,
  at: Date,
): { readonly key: string; readonly sequence: number; readonly occurredAt: Date; readonly producer: 'payments' } {
  return { key: String(refundId), sequence: 2, occurredAt: at, producer: 'payments' };
}

type Shown = Pick<NewRefund, 'refundId' | 'chain' | 'amount' | 'decimals' | 'address'>;

export function refundViewOf(refund: Shown, state: RefundState, transactionHash: string | null): RefundView {
  return {
    refund_id: refund.refundId,
    status: PUBLIC_REFUND_STATUS[state],
    chain: refund.chain,
    asset: assetSymbol(refund.amount.currency),
    amount_minor: encodeMinor(refund.amount),
    decimals: refund.decimals,
    address: refund.address,
    transaction_hash: transactionHash,
  };
}
