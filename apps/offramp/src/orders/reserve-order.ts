import { Inject, Injectable } from '@nestjs/common';
import { type CallContext, type offrampApi, type OrderReservation, decodeAmount } from '@vuka/contracts';
import {
  assetSymbol,
  encodeMinor,
  isSame,
  tokenUnit,
  acceptedTokens,
  assetAmountDue,
  centsDue,
  chainNamed,
  fail,
  ok,
  type Chain,
  type Result,
  type Token,
} from '@vuka/domain';
import { Database } from '@vuka/persistence';
import type { Clock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';
import type { z } from 'zod';

import { DepositAddresses, settlementOf } from '../addresses/index.js';
import { Rates } from '../rates/index.js';
import { OrderChains } from './order-chains.js';
import { type OrderDatabase, type OrderWatch, OrderWatchStore } from './order-watch.store.js';

export type ReserveInput = z.output<typeof offrampApi.operations.reserveOrder.input>;

/** Every page covers the address this long after the end. */
const WATCHED_AFTER_MS = 24 * 3_600_000;

type Context = Pick<CallContext, 'requestId' | 'traceparent' | 'deadline'>;

/**
 * Address, frozen rate and watch in one commit. A repeated order gets the same answer. Errors: unsupported_network,
 * rate_stale, rate_limited, service_unavailable (libs/contracts offrampApi.reserveOrder).
 */
@Injectable()
export class ReserveOrder {
  private readonly watches: OrderWatchStore;

  public constructor(
    @Inject(Database) private readonly db: OrderDatabase,
    @Inject(Rates) private readonly rates: Pick<Rates, 'buyingRate'>,
    @Inject(DepositAddresses) private readonly addresses: Pick<DepositAddresses, 'drawForOrder' | 'ofOrder'>,
    private readonly chains: OrderChains,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.watches = new OrderWatchStore(db);
  }

  public async run(input: ReserveInput, context: Context): Promise<Result<OrderReservation>> {
    const chain = chainNamed(input.chain);
    const token = chain && acceptedTokens(chain).find(({ symbol }) => symbol === input.asset);
    if (chain === undefined || token === undefined) {
      return fail({ code: 'unsupported_network', message: `asset ${input.asset} is not accepted on ${input.chain}` });
    }
    const before = await this.watches.find(input.order_number);
    if (before !== undefined) return this.answer(before, input, token);
    const reserved = await this.reserve(input, chain, token, context);
    return reserved.ok ? this.answer(reserved.value, input, token) : reserved;
  }

  private async reserve(
    input: ReserveInput,
    chain: Chain,
    token: Token,
    { requestId, traceparent, deadline }: Context,
  ): Promise<Result<OrderWatch>> {
    const { db, rates, addresses, clock } = this;
    const open = await this.chains.check(chain, token, deadline);
    if (!open.ok) return open;
    const rate = rates.buyingRate(input.currency, token.symbol);
    if (!rate.ok) return rate;
    const amount = decodeAmount(input);
    if (centsDue(amount, rate.value) > BigInt(input.most_usd_cents))
      return fail({ code: 'rate_limited', message: 'The order is worth more than it may be' });
    return db.inTransaction<Result<OrderWatch>>(
      async (tx) => {
        await OrderWatchStore.lockToReserve(tx, input.order_number);
        const meanwhile = await new OrderWatchStore(tx).find(input.order_number);
        if (meanwhile !== undefined) return ok(meanwhile);
        const address = await addresses.drawForOrder(tx, input.partner_id, chain.family);
        if (!address.ok) return address;
        const createdAt = clock.now();
        const expiresAt = new Date(createdAt.getTime() + input.lives_s * 1_000);
        const watch = {
        orderNumber: input.order_number, partnerId: input.partner_id, chain: chain.name, amount, rate: rate.value,
        due: assetAmountDue(amount, rate.value, tokenUnit(chain, token)), family: chain.family, address: address.value, createdAt, expiresAt,
      }; // prettier-ignore
        await OrderWatchStore.insert(tx, {
          ...watch,
          watchUntil: new Date(expiresAt.getTime() + WATCHED_AFTER_MS),
          correlationId: requestId,
          causationId: traceparent,
        });
        return ok(watch);
      },
      { retries: 2 },
    );
  }

  /** Derived again: whoever can write the table must not redirect deposits. */
  private async answer(watch: OrderWatch, input: ReserveInput, { decimals }: Token): Promise<Result<OrderReservation>> {
    const isSameOrder =
      watch.partnerId === input.partner_id &&
      watch.chain === input.chain &&
      assetSymbol(watch.due.currency) === input.asset &&
      isSame(watch.amount, decodeAmount(input));
    if (!isSameOrder) throw new Error(`order ${input.order_number} was reserved for something else`);
    const given = await this.addresses.ofOrder(watch.orderNumber, watch.family);
    if (!given.ok) return given;
    const { address, memoAddress, memo } = settlementOf(given.value.address);
    return ok({
      address,
      memo_address: memoAddress,
      memo,
      rate: watch.rate,
      due_minor: encodeMinor(watch.due),
      usd_cents: centsDue(watch.amount, watch.rate).toString(),
      decimals,
      created_at: watch.createdAt.toISOString(),
      expires_at: watch.expiresAt.toISOString(),
    });
  }
}
