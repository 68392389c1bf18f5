import type { Envelope, RefundTold } from '@vuka/contracts';
import { assetSymbol, formatDecimal, PUBLIC_REFUND_STATUS, type RefundState } from '@vuka/domain';
import { newEnvelope } from '@vuka/messaging';

import type { NewRefund, RefundPatch } from '../commit/index.js';
import type { TransactionSnapshot } from '../transactions/index.js';

export interface RefundGround {
  readonly about: { readonly transactionCode: string } | { readonly orderId: string };
  /** null: no webhook. */
  readonly callbackUrl: string | null;
  /** Canonical, of the deposit. */
  readonly depositHash: string;
}

export type RefundDetails = Pick<NewRefund, 'refundId' | 'partnerId' | 'chain' | 'amount' | 'decimals' | 'address'>;

export interface RefundStep {
  /** null: it begins. */
  readonly from: RefundState | null;
  readonly to: RefundState;
  /** It was FAILED, but the transfer went out. */
  readonly failedBefore?: boolean;
  /** Of the refund's own transfer. */
  readonly transactionHash: string | null;
  readonly failure?: string;
}

export interface StepTrace {
  readonly at: Date;
  readonly requestId: string;
  readonly traceparent: string;
}

interface Telling {
  readonly told: RefundTold;
  readonly sequence: number;
  readonly state: RefundState;
}

/** No signature is known. */
export interface HeldRefund {
  readonly details: RefundDetails;
  readonly ground: RefundGround;
}

/** After a failure, later events need higher sequences than all before. */
const AFTER_FAILURE = 2;

/** Each event once, at its place in the sequence. A skipped "sent" is sent too. */
function tellingsOf({ from, to, failedBefore = false }: RefundStep): Telling[] {
  if (from === null) return [{ told: 'refund.held', sequence: 1, state: to }];
  if (from === to) return [];
  const behind = failedBefore ? AFTER_FAILURE : 0;
  const sent: Telling = { told: 'refund.sent', sequence: 2 + behind, state: 'BROADCAST' };
  if (to === 'BROADCAST') return [sent];
  if (to === 'CONFIRMED')
    return [...(from === 'BROADCAST' ? [] : [sent]), { told: 'refund.confirmed', sequence: 3 + behind, state: to }];
  if (to === 'FAILED') return [{ told: 'refund.failed', sequence: (from === 'BROADCAST' ? 3 : 2) + behind, state: to }];
  return [];
}

const MESSAGES: Readonly<Record<Exclude<RefundTold, 'refund.failed'>, string>> = {
  'refund.held': 'The refund was accepted, and waits to be sent',
  'refund.sent': 'The refund was given to the chain',
  'refund.confirmed': 'The refund is final on the chain',
};

const FAILED_BECAUSE: Readonly<Record<string, string>> = {
  deposit_reverted: 'The refund was not sent: the chain took the deposit back',
  address_refused: 'The refund was not sent: the chain refuses its address',
  transfer_failed: 'The refund was not sent: its transfer could not be made',
  cancelled: 'The refund was not sent: it was cancelled',
  paid_after_all: 'The refund was not sent: the payment was made after all',
};

/** Written in the commit of the step. */
export function refundTold(
  refund: RefundDetails,
  ground: RefundGround,
  step: RefundStep,
  { at, requestId, traceparent }: StepTrace,
): Envelope<'refund-status.changed'>[] {
  const { refundId, partnerId, chain, amount, decimals, address } = refund;
  const { about, callbackUrl, depositHash } = ground;
  return tellingsOf(step).map(({ told, sequence, state }) =>
    newEnvelope({
      type: 'refund-status.changed',
      key: String(refundId),
      sequence,
      occurredAt: at,
      correlationId: requestId,
      causationId: traceparent,
      producer: 'payments',
      data: {
        refund_id: refundId,
        partner_id: partnerId,
        callback_url: callbackUrl,
        public_sequence: sequence,
        told,
        payload: {
          refund_id: refundId,
          status: PUBLIC_REFUND_STATUS[state],
          chain,
          asset: assetSymbol(amount.currency),
          amount: formatDecimal(amount.minor, decimals),
          address,
          transaction_hash: depositHash,
          refund_transaction_hash: step.transactionHash ?? '',
          ...('orderId' in about
            ? { refund_of_order_id: about.orderId }
            : { refund_of_transaction_code: about.transactionCode }),
          message:
            told === 'refund.failed'
              ? (FAILED_BECAUSE[step.failure ?? ''] ?? 'The refund was not sent')
              : MESSAGES[told],
          ...(told === 'refund.failed' && step.failure !== undefined ? { reason: step.failure } : {}),
        },
      },
    }),
  );
}

export function groundOfPay({ details, pay }: TransactionSnapshot): RefundGround {
  return {
    about: { transactionCode: details.transactionCode },
    callbackUrl: details.callbackUrl,
    depositHash: pay?.transactionHash ?? '',
  };
}

export function heldTold(
  refund: RefundDetails,
  ground: RefundGround,
  trace: StepTrace,
): Envelope<'refund-status.changed'>[] {
  return refundTold(refund, ground, { from: null, to: 'HELD', transactionHash: null }, trace);
}

/** In the commit that takes the deposit back. */
export function takenBackTold(
  held: HeldRefund | null | undefined,
  patches: readonly RefundPatch[] | undefined,
  trace: StepTrace,
): Envelope<'refund-status.changed'>[] {
  const patch = patches?.find(({ refundId }) => refundId === held?.details.refundId);
  if (!held || !patch) return [];
  const { expected: from, state: to, failure } = patch;
  return refundTold(
    held.details,
    held.ground,
    { from, to, transactionHash: null, ...(failure === undefined ? {} : { failure }) },
    trace,
  );
}
