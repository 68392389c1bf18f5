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

/** The refund of a pay that failed for good, to the address it named. Throws where the pay cannot have one: that is a bug. */
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

/** Whether a deposit is less than what its chain's transfers are made for. One that is held to be sent back goes, whatever it is worth: it was accepted. */
export function isTooLittle(value: Omit<Deposit, 'depositId'>): boolean {
  const known = chainNamed(value.chain);
  return known !== undefined && compare(value.received, leastRefund(known, unitOf(value))) < 0;
}

/** Tells offramp, in the commit that holds the value, that it may have the refund signed. */
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

/** Tells offramp, in the commit that grants it, that a refund may be signed. */
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

/** Why a refund ended that was not granted: its payout was paid after all. */
export const PAID_AFTER_ALL = 'paid_after_all';

/** Tells offramp, in the commit that ends it, of each refund that ends before its grant: nothing of it is prepared, so no turn of it would find that out. */
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

/** What ends the refund of a pay whose payment became known before it was granted. One whose row is still to be made is never made. */
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

/** Of the two that may follow `refund.held` there is one. */
function afterHeld(
  refundId: number,
  at: Date,
): { readonly key: string; readonly sequence: number; readonly occurredAt: Date; readonly producer: 'payments' } {
  return { key: String(refundId), sequence: 2, occurredAt: at, producer: 'payments' };
}

type Shown = Pick<NewRefund, 'refundId' | 'chain' | 'amount' | 'decimals' | 'address'>;

/** A refund as its partner sees it. */
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
