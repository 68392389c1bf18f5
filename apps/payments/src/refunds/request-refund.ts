import { Inject, Injectable } from '@nestjs/common';
import type { CallContext, RefundView, requestRefundInput } from '@vuka/contracts';
import { assetSymbol, chainNamed, fail, formatLimit, ok, postingLegs, sameAddress, type Result } from '@vuka/domain';
import { type Clock, uuidv7 } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';
import type { z } from 'zod';

import { type PaymentCommit, CommitWriter, type NewRefund, referenceOf, TransactionIds } from '../commit/index.js';
import { ChainExitBlocks, type ChainExitBlock } from '../transactions/index.js';
import {
  heldEvent,
  heldTold,
  isTooLittle,
  type RefundGround,
  RefundStore,
  refundViewOf,
  type TransferName,
  type TransferredDeposit,
} from '../value/index.js';
import { choosePurpose } from './choose-purpose.js';

export type RequestRefundInput = z.output<typeof requestRefundInput>;

const MAX_TRIES = 3;
const CHAIN_EXIT_BLOCKED: Readonly<Record<ChainExitBlock, string>> = {
  suspended: 'the account is suspended',
  frozen: 'payouts of the account are stopped',
  vanished: 'a deposit vanished from its chain after it had paid',
  sent_back: 'a payout was paid, and its value sent back as well',
  owes: 'the account owes money',
};
const NO_ADDRESS = 'The refund_address field is required: no return address is registered for this chain';

/**
 * Sends back what nobody used of one transfer for one pay or order, in one commit (unapplied_refund_held). Value
 * for another purpose is another payer's. A repeat shows the refund as it is; after a failure it makes a new one.
 * Errors: not_found, hash_already_processed (order still open, used, credited, vanished, or going to another
 * address), forbidden (the partner owes or is stopped), invalid_request (no address, or several purposes),
 * amount_out_of_range (below the chain's minimum).
 */
@Injectable()
export class RequestRefund {
  constructor(
    private readonly refunds: RefundStore,
    private readonly chainExitBlock: ChainExitBlocks,
    private readonly ids: TransactionIds,
    private readonly writer: CommitWriter,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async run(input: RequestRefundInput, context: CallContext): Promise<Result<RefundView>> {
    const transfer: TransferName = {
      partnerId: input.partner_id,
      chain: input.chain,
      transactionHash: input.transaction_hash,
      orderId: input.order_id,
      reference: input.reference,
    };
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const purpose = choosePurpose(transfer, await this.refunds.purposes(transfer));
      if (!purpose.ok) return purpose;
      const found = await this.refunds.ofTransfer(transfer, purpose.value.transactionId);
      const waiting = found.filter(
        (deposit) =>
          deposit.state === 'unapplied' &&
          !isTooLittle({ chain: input.chain, decimals: deposit.decimals, received: deposit.waiting }),
      );
      const [first] = waiting;
      if (!first) return standing(found, input);
      const address = await this.addressFor(input);
      if (!address.ok) return address;
      const refunds = await Promise.all(waiting.map((deposit) => this.refundOf(deposit, address.value, input)));
      const why = await this.chainExitBlock.why(input.partner_id);
      if (why)
        return fail({
          code: 'forbidden',
          message: `Nothing can be sent back now: ${CHAIN_EXIT_BLOCKED[why]}. Ask the platform team`,
        });
      const { outcome } = await this.writer.commit(
        this.toCommit(refunds, await this.groundOf(first, refunds, input), context),
        'foreground',
        context.deadline,
      );
      if (outcome === 'ok' || outcome === 'exists') return ok(refundViewOf(refunds[0] as NewRefund, 'HELD', null));
      if (outcome !== 'stale') throw new Error(`the refund of deposit ${first.depositId} was answered ${outcome}`);
    }
    throw new Error(
      `the deposits of a transfer of partner ${input.partner_id} were changed by others ${MAX_TRIES} times in a row`,
    );
  }

  /** Fixed at the request. */
  private async groundOf(
    { transactionId, depositId }: TransferredDeposit,
    refunds: readonly NewRefund[],
    { default_url: url, partner_id: partnerId }: RequestRefundInput,
  ): Promise<RefundGround> {
    const ground = await this.refunds.grounds.of({ transactionId, depositId, refundId: null });
    if (ground.callbackUrl !== null || url === null) return ground;
    await this.refunds.grounds.rememberUrl(
      refunds.map(({ refundId }) => refundId),
      partnerId,
      url,
      this.clock.now(),
    );
    return { ...ground, callbackUrl: url };
  }

  private async addressFor({
    partner_id: partnerId,
    chain,
    refund_address: given,
  }: RequestRefundInput): Promise<Result<string>> {
    const family = chainNamed(chain)?.family;
    const address = given ?? (family ? await this.refunds.returnAddress(partnerId, family) : null);
    return address === null
      ? fail({
          code: 'invalid_request',
          message: NO_ADDRESS,
          faults: [{ detail: NO_ADDRESS, pointer: '/refund_address' }],
        })
      : ok(address);
  }

  private async refundOf(
    deposit: TransferredDeposit,
    address: string,
    { partner_id: partnerId, chain }: RequestRefundInput,
  ): Promise<NewRefund> {
    const { transactionId, depositId, decimals, waiting: amount } = deposit;
    return {
      refundId: await this.ids.take(),
      partnerId,
      transactionId,
      depositId,
      chain,
      amount,
      decimals,
      address,
      origin: 'unapplied_refund_held',
    };
  }

  private toCommit(refunds: readonly NewRefund[], ground: RefundGround, context: CallContext): PaymentCommit {
    const at = this.clock.now();
    return {
      commitId: uuidv7(),
      transactionId: null,
      expectedSequence: 0,
      transitions: [],
      postings: refunds.map(({ refundId, transactionId, partnerId, amount }) => ({
        reference: referenceOf('unapplied_refund_held', refundId),
        kind: 'unapplied_refund_held',
        about: transactionId,
        legs: postingLegs('unapplied_refund_held', { partner: partnerId, received: amount }),
      })),
      depositPatches: refunds.map(({ depositId }) => ({ depositId, expected: 'unapplied', state: 'refunding' })),
      refunds,
      outbox: refunds.flatMap((refund) => [
        heldEvent(refund, at, context),
        ...heldTold(refund, ground, { at, ...context }),
      ]),
    };
  }
}

function standing(
  found: readonly TransferredDeposit[],
  { chain, refund_address: address }: RequestRefundInput,
): Result<RefundView> {
  const [first] = found;
  if (!first) throw new Error(`what a transfer brought on ${chain} is gone`);
  // Deposits too small to send may be beside it.
  const refund = found.map((deposit) => deposit.refund).find((one) => one !== null && one.state !== 'FAILED');
  const little = found.find(({ state }) => state === 'unapplied');
  if (!refund && little) return tooLittle(chain, little);
  if (!refund)
    return used(
      `on ${chain}, ${first.transactionCode === null ? 'for an order' : `by the transaction ${first.transactionCode}`}: ${WHY[first.state]}`,
      first.transactionCode,
    );
  // Earlier releases stored the address as it was written.
  const family = chainNamed(chain)?.family;
  const isAnother = address !== null && (family === undefined || !sameAddress(family, address, refund.address));
  if (isAnother)
    return used(
      `on ${chain}: its value goes back to ${refund.address}, and to no other address`,
      first.transactionCode,
    );
  return ok(refundViewOf(refund, refund.state, refund.transactionHash));
}

const WHY: Readonly<Record<TransferredDeposit['state'], string>> = {
  funding: 'it pays for a payment',
  ordered: 'its order has not ended',
  unapplied: 'it waits',
  credited: 'its value is in the wallet',
  refunding: 'its value goes back to the refund_address of its payment',
  refunded: 'its value was sent back',
  reverted: 'the chain took it back',
};

function tooLittle(chain: string, { waiting }: TransferredDeposit): Result<never> {
  const least = formatLimit(chainNamed(chain)?.leastRefundCents ?? 0n, 2);
  return fail({
    code: 'amount_out_of_range',
    message: `Too little arrived to be sent back: on ${chain} it takes at least ${least} ${assetSymbol(waiting.currency)}`,
  });
}

function used(what: string, transactionCode: string | null): Result<never> {
  return fail({
    code: 'hash_already_processed',
    message: `The transaction_hash has already been processed ${what}`,
    ...(transactionCode === null ? {} : { transactionCode }),
  });
}
