import type { Envelope, RefundView } from '@vuka/contracts';
import { assetSymbol, chainNamed, leastRefund, PUBLIC_REFUND_STATUS, type RefundState } from '@vuka/domain';
import { newEnvelope } from '@vuka/messaging';

import type { Deposit, NewRefund } from './store/move.js';
import type { TransactionSnapshot } from './store/transaction.store.js';

/** The refund of a pay that failed for good, to the address it named. Throws where the pay cannot have one: that is a bug. */
export function refundOfPay({ terms, pay, deposit }: TransactionSnapshot, refundId: number | undefined): NewRefund {
  if (refundId === undefined || !deposit || !pay || pay.refundAddress === null) throw new Error(`transaction ${terms.id} has nothing to send back`);
  return {
    refundId, partnerId: terms.partnerId, transactionId: terms.id, depositId: deposit.depositId, chain: deposit.chain, asset: deposit.asset,
    decimals: deposit.decimals, amountMinor: deposit.receivedMinor, address: pay.refundAddress, origin: 'P7',
  };
}

/** Whether a deposit is less than what its chain's transfers are made for. One that is held to be sent back goes, whatever it is worth: it was accepted. */
export function isTooLittle({ chain, decimals, receivedMinor }: Pick<Deposit, 'chain' | 'decimals' | 'receivedMinor'>): boolean {
  const known = chainNamed(chain);
  return known !== undefined && receivedMinor < leastRefund(known, { decimals });
}

/** Tells offramp, in the commit that holds the value, that it may have the refund signed. */
export function heldEvent(refund: NewRefund, at: Date, { requestId, traceparent }: { readonly requestId: string; readonly traceparent: string }): Envelope<'refund.held'> {
  return newEnvelope({
    type: 'refund.held',
    key: String(refund.refundId),
    sequence: 1,
    occurredAt: at,
    correlationId: requestId,
    causationId: traceparent,
    producer: 'payments',
    data: {
      refund_id: refund.refundId, partner_id: refund.partnerId, deposit_id: refund.depositId, chain: refund.chain, asset: refund.asset,
      decimals: refund.decimals, amount_minor: refund.amountMinor.toString(), address: refund.address,
    },
  });
}

type Shown = Pick<NewRefund, 'refundId' | 'chain' | 'asset' | 'decimals' | 'amountMinor' | 'address'>;

/** A refund as its partner sees it. */
export function refundViewOf(refund: Shown, state: RefundState, transactionHash: string | null): RefundView {
  return {
    refund_id: refund.refundId, status: PUBLIC_REFUND_STATUS[state], chain: refund.chain, asset: assetSymbol(refund.asset),
    amount_minor: refund.amountMinor.toString(), decimals: refund.decimals, address: refund.address, transaction_hash: transactionHash,
  };
}
