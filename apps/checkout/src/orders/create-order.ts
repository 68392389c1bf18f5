import { randomBytes } from 'node:crypto';

import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import {
  decodeAmount,
  type CallContext,
  type InternalClient,
  type OrderReservation,
  type checkoutApi,
  offrampApi,
} from '@vuka/contracts';
import { decodeMoney, fail, ok, orderFingerprint, orderMessage, tokenAsset, zero, type Result } from '@vuka/domain';
import {
  answerWithin,
  Cipher,
  type Clock,
  crashPoint,
  DeadlineExceededError,
  isFingerprintOf,
  keptFingerprint,
  uuidv7,
} from '@vuka/runtime';
import { clientOf, CLOCK, SETTINGS } from '@vuka/service-host';
import type { z } from 'zod';

import { toTell } from './order-facts.js';
import { orderView } from './order-view.js';
import { OrderStore, type Order } from './order.store.js';
import { ReadOrder } from './read-order.js';

export type OrderInput = z.output<typeof checkoutApi.operations.createOrder.input>;
export type OrderMade = z.input<typeof checkoutApi.operations.createOrder.output>;

/** Open orders end within minutes. */
const RETRY_AFTER_S = 30;
const DAY_MS = 24 * 3_600_000;
const TOKEN_BYTES = 32;

/**
 * Makes each order once: only its row decides what an order_id means. A crash may leave a reservation without an order,
 * but nobody saw its address, and nobody else gets it.
 */
@Injectable()
export class CreateOrder {
  private readonly running = new Map<string, Promise<unknown>>();

  public constructor(
    private readonly orders: OrderStore,
    private readonly readOrder: ReadOrder,
    @Inject(clientOf(offrampApi)) private readonly offramp: Pick<InternalClient<typeof offrampApi>, 'reserveOrder'>,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly cipher: Cipher,
  ) {}

  /**
   * Errors: reference_reused, rate_limited (too many open, too many in 24 hours, or too much open value),
   * service_unavailable (too late to keep it), and those of offramp's reserveOrder.
   * An existing order is returned whatever the limits are. Limits are checked before the reservation, so concurrent
   * requests do not count each other.
   */
  public async run(input: OrderInput, context: CallContext): Promise<Result<OrderMade>> {
    const key = `${String(input.partner_id)} ${input.order_id}`;
    for (let before = this.running.get(key); before !== undefined; before = this.running.get(key)) {
      await answerWithin(
        this.timeLeft(context),
        before.catch(() => undefined),
        undefined,
      );
      this.timeLeft(context);
    }
    const work = this.findOrMake(input, context);
    this.running.set(key, work);
    try {
      return await work;
    } finally {
      this.running.delete(key);
    }
  }

  private async findOrMake(input: OrderInput, context: CallContext): Promise<Result<OrderMade>> {
    const { orders } = this;
    const found = await orders.named(input.partner_id, input.order_id);
    if (found !== undefined) return this.replay(found, input);
    const room = await this.roomOf(input.partner_id);
    if (!room.ok) return room;
    const orderNumber = await orders.nextNumber();
    const reserved = await this.offramp.reserveOrder(
      {
        partner_id: input.partner_id,
        currency: input.currency,
        amount_minor: input.amount_minor,
        chain: input.network,
        asset: input.asset,
        order_number: orderNumber,
        lives_s: this.settings.checkout.orderSeconds,
        most_usd_cents: room.value.toString(),
      },
      context,
    );
    if (!reserved.ok) return reserved.error.code === 'rate_limited' ? this.tooMuch() : reserved;
    crashPoint('checkout.after-reserve');
    const fingerprint = keptFingerprint(this.fingerprintOf(input));
    return this.keep(newOrder(orderNumber, input, fingerprint, reserved.value, context), input);
  }

  /** US cents above 0 that a further order may be worth. Offramp checks it, as it knows the rate. */
  private async roomOf(partnerId: number): Promise<Result<bigint>> {
    const { mostOpenOrders, mostOpenOrdersCents, mostOrdersADay } = this.settings.checkout;
    const now = this.clock.now().getTime();
    const load = await this.orders.loadOf(partnerId, {
      mostOpen: mostOpenOrders,
      madeAfter: new Date(now - DAY_MS),
      mostMade: mostOrdersADay,
    });
    if (load.mostMadeSince !== null) {
      const retryAfterS = Math.max(1, Math.ceil((load.mostMadeSince.getTime() + DAY_MS - now) / 1_000));
      return tooMany(
        `${String(mostOrdersADay)} orders of this account were made within 24 hours`,
        'later',
        retryAfterS,
      );
    }
    if (load.open >= mostOpenOrders)
      return tooMany(`${String(mostOpenOrders)} orders of this account are open already`);
    return load.openCents < mostOpenOrdersCents ? ok(mostOpenOrdersCents - load.openCents) : this.tooMuch();
  }

  private tooMuch(): Result<never> {
    return tooMany(
      `Open orders of this account would be worth more than ${String(this.settings.checkout.mostOpenOrdersCents / 100n)} US dollars`,
    );
  }

  private async keep(order: Order, input: OrderInput): Promise<Result<OrderMade>> {
    const kept = await this.orders.inTransaction(async (tx) => {
      // Offramp reports the end 30 s late, and an idle transaction ends sooner: the order is there by then.
      if (this.clock.now() >= order.expiresAt) return 'late';
      if (!(await OrderStore.insert(tx, order))) return 'taken';
      await OrderStore.note(tx, {
        orderNumber: order.orderNumber,
        sequence: order.sequence,
        from: null,
        to: order.state,
        event: 'made',
        detail: '',
        at: order.createdAt,
      });
      return 'kept';
    });
    if (kept === 'kept') return ok({ order: orderView(order, []), replayed: false });
    if (kept === 'late')
      return fail({
        code: 'service_unavailable',
        message: 'The order could not be kept in time. Send it again',
        retryAfterS: 1,
      });
    const found = await this.orders.named(input.partner_id, input.order_id);
    if (found === undefined) throw new Error('an order that is taken is not there');
    return this.replay(found, input);
  }

  private async replay(found: Order, input: OrderInput): Promise<Result<OrderMade>> {
    if (!isFingerprintOf(this.fingerprintOf(input), found.fingerprint)) {
      return fail({
        code: 'reference_reused',
        message: `order_id ${found.orderId} belongs to another order, of other parameters`,
        transactionCode: found.transactionCode,
      });
    }
    return ok({ order: await this.readOrder.viewOf(found), replayed: true });
  }

  /** Excludes the partner's default callback URL. */
  private fingerprintOf(input: OrderInput): string {
    const { order_id: orderId, network, asset } = input;
    const digest = (text: string): string => this.cipher.fingerprint(text);
    return orderFingerprint(digest, { orderId, network, asset, amount: decodeAmount(input) });
  }

  /** Milliseconds. Throws DeadlineExceededError if none are left. */
  private timeLeft({ deadline }: CallContext): number {
    const left = deadline - this.clock.now().getTime();
    if (left <= 0) throw new DeadlineExceededError('checkout', 'createOrder', { sent: false });
    return left;
  }
}

function tooMany(why: string, when = 'when some of them have ended', retryAfterS = RETRY_AFTER_S): Result<never> {
  return fail({
    code: 'rate_limited',
    message: `${why}, so this request was not accepted. Send it again ${when}`,
    retryAfterS,
  });
}

function newOrder(
  orderNumber: number,
  input: OrderInput,
  fingerprint: string,
  reserved: OrderReservation,
  context: CallContext,
): Order {
  const terms: Omit<Order, 'message'> = {
    orderNumber,
    partnerId: input.partner_id,
    orderId: input.order_id,
    fingerprint,
    transactionCode: uuidv7(),
    pageToken: randomBytes(TOKEN_BYTES).toString('base64url'),
    network: input.network,
    asset: input.asset,
    decimals: reserved.decimals,
    amount: decodeAmount(input),
    usdCents: BigInt(reserved.usd_cents),
    rate: reserved.rate,
    due: decodeMoney(reserved.due_minor, tokenAsset({ name: input.network }, { symbol: input.asset })),
    address: reserved.address,
    memoAddress: reserved.memo_address,
    memo: reserved.memo,
    callbackUrl: input.callback_url,
    createdAt: new Date(reserved.created_at),
    expiresAt: new Date(reserved.expires_at),
    correlationId: context.requestId,
    causationId: context.traceparent,
    state: 'PENDING',
    reason: '',
    sequence: 1,
    publicSequence: 0,
    settledSequence: 0,
    passedAt: null,
    dueAt: null,
    endedAt: null,
  };
  return { ...terms, message: orderMessage(toTell(terms, zero(terms.due.currency))) };
}
