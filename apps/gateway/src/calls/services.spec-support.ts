import type {
  checkoutApi,
  DeliveryView,
  InternalHandlers,
  NetworkView,
  notifierApi,
  offrampApi,
  OrderView,
  QuoteView,
  validationApi,
} from '@vuka/contracts';
import { fail, ok, type Problem, type Result } from '@vuka/domain';

type ValidationHandlers = InternalHandlers<typeof validationApi>;

export class NamesStub implements Pick<ValidationHandlers, 'resolveName'> {
  readonly calls: Parameters<ValidationHandlers['resolveName']>[0][] = [];
  answer: () => ReturnType<ValidationHandlers['resolveName']> = async () =>
    ok({ status: 'COMPLETE', verified: true, name: 'TEST 5678', name_match: null });

  resolveName: ValidationHandlers['resolveName'] = (input) => {
    this.calls.push(input);
    return this.answer();
  };
}

type OfframpHandlers = InternalHandlers<typeof offrampApi>;

export const QUOTE: QuoteView = {
  quote_id: '01890a5d-ac96-774b-bcce-b302099a8057',
  rate: '129.35',
  amount_minor: '150000',
  asset_amount: '11.596444',
  amount_in_usd: '11.60',
  settlement_wallet_address: '0x52908400098527886E0F7030069857D2E4169EE7',
  memo_address: '',
  memo: '',
  expires_in: 300,
  expires_at: '2026-11-21T12:05:00.000Z',
};

/** An offramp stub: two chains, one rate. `away` rejects every call. */
export class OfframpStub implements OfframpHandlers {
  chains = [
    { name: 'CELO', assets: ['USDC', 'USDT'] },
    { name: 'BASE', assets: ['USDC'] },
  ];
  networks: NetworkView[] = [];
  rate = { buying_rate: '129.35', selling_rate: '131.05', quoted_rate: '130.2' };
  away: Error | null = null;
  refusal: Problem | null = null;
  readonly asked: string[] = [];
  readonly quotes: Parameters<OfframpHandlers['quote']>[0][] = [];
  readonly checked: Parameters<OfframpHandlers['checkQuote']>[0][] = [];

  listNetworks: OfframpHandlers['listNetworks'] = () => this.answer('listNetworks', { networks: this.networks });
  listChains: OfframpHandlers['listChains'] = () => this.answer('listChains', { chains: this.chains });
  exchangeRate: OfframpHandlers['exchangeRate'] = ({ currency }) => this.answer(`exchangeRate ${currency}`, this.rate);

  quote: OfframpHandlers['quote'] = (input) => {
    this.quotes.push(input);
    return this.answer('quote', { ...QUOTE, amount_minor: input.amount_minor });
  };

  reserveOrder: OfframpHandlers['reserveOrder'] = async () =>
    fail({ code: 'service_unavailable', message: 'orders are reserved by checkout' });

  checkRefundAddress: OfframpHandlers['checkRefundAddress'] = ({ address }) =>
    this.answer('checkRefundAddress', { address: address.toLowerCase() });

  checkQuote: OfframpHandlers['checkQuote'] = (input) => {
    this.checked.push(input);
    return this.answer('checkQuote', {});
  };

  private async answer<T>(operation: string, value: T): Promise<Result<T>> {
    this.asked.push(operation);
    if (this.away !== null) throw this.away;
    return this.refusal === null ? ok(value) : fail(this.refusal);
  }
}

type CheckoutHandlers = InternalHandlers<typeof checkoutApi>;

export const ORDER: Omit<
  OrderView,
  'order_number' | 'order_id' | 'network' | 'asset' | 'currency' | 'amount_minor' | 'page_token'
> = {
  status: 'PENDING',
  reason: '',
  message: 'Waiting for the payment',
  token: '0xcebA9300f2b948710d2653dD7B07f33A8B32118C',
  decimals: 6,
  usd_cents: '1160',
  rate: '129.350',
  due_minor: '11596444',
  received_minor: '0',
  address: '0x52908400098527886E0F7030069857D2E4169EE7',
  memo_address: '',
  memo: '',
  created_at: '2026-11-21T12:00:00.000Z',
  expires_at: '2026-11-21T12:07:00.000Z',
  transaction_hash: null,
};

/** A checkout stub: one order per order_id. `before` and `after` run around its creation. */
export class CheckoutStub implements CheckoutHandlers {
  readonly orders = new Map<string, OrderView>();
  readonly calls: Parameters<CheckoutHandlers['createOrder']>[0][] = [];
  refusal: Problem | null = null;
  before: () => Promise<void> = () => Promise.resolve();
  after: () => Promise<void> = () => Promise.resolve();

  createOrder: CheckoutHandlers['createOrder'] = async (input) => {
    this.calls.push(input);
    await this.before();
    const { partner_id, order_id, network, asset, currency, amount_minor } = input;
    const name = `${String(partner_id)}/${order_id}`;
    const known = this.orders.get(name);
    const isSame =
      known?.network === network &&
      known.asset === asset &&
      known.currency === currency &&
      known.amount_minor === amount_minor;
    if (known !== undefined && !isSame)
      return fail({ code: 'reference_reused', message: `order_id ${order_id} is another order's` });
    if (known === undefined && this.refusal !== null) return fail(this.refusal);
    const number = 5_000_000_000_000_000 + this.orders.size;
    const order = known ?? {
      ...ORDER,
      order_number: number,
      order_id,
      network,
      asset,
      currency,
      amount_minor,
      page_token: `page_of_${String(number)}`,
    };
    this.orders.set(name, order);
    await this.after();
    return ok({ order, replayed: known !== undefined });
  };

  orderStatus: CheckoutHandlers['orderStatus'] = async ({ partner_id, order_id }) => {
    await this.before();
    return found(this.orders.get(`${String(partner_id)}/${order_id}`));
  };

  orderByToken: CheckoutHandlers['orderByToken'] = async ({ page_token }) => {
    await this.before();
    return found([...this.orders.values()].find((order) => order.page_token === page_token));
  };
}

function found(order: OrderView | undefined): Result<OrderView> {
  return order === undefined ? fail({ code: 'not_found', message: 'No such order' }) : ok(order);
}

type NotifierHandlers = InternalHandlers<typeof notifierApi>;

export const DELIVERY: DeliveryView = {
  id: 1,
  webhook_id: '41_1',
  event: 'transaction.complete',
  sequence: 1,
  transaction_code: 'order-41',
  order_id: '',
  url: 'https://hooks.example.com/vuka',
  state: 'failed',
  attempts: 10,
  last_status: null,
  last_error: 'timeout',
  created_at: '2026-11-21T12:00:00.000Z',
  next_attempt_at: null,
  settled_at: '2026-11-23T12:00:00.000Z',
  payload: { status: 'COMPLETE', transaction_code: 'order-41', message: 'Paid' },
  log: [{ attempt: 10, started_at: '2026-11-23T12:00:00.000Z', duration_ms: 3_000, status: null, error: 'timeout' }],
};

export class NotifierStub implements Omit<NotifierHandlers, 'ensureWebhookSecret'> {
  readonly deliveries = new Map<number, DeliveryView[]>();
  readonly tested: Parameters<NotifierHandlers['testWebhook']>[0][] = [];
  readonly listed: Parameters<NotifierHandlers['listDeliveries']>[0][] = [];
  readonly resentOnes: Parameters<NotifierHandlers['resendDelivery']>[0][] = [];
  readonly resentMany: Parameters<NotifierHandlers['resendDeliveries']>[0][] = [];
  away: Error | null = null;

  testWebhook: NotifierHandlers['testWebhook'] = async (input) => {
    this.tested.push(input);
    return this.answer({
      ...DELIVERY,
      event: 'webhook.test',
      transaction_code: 'test-7000000000000000',
      url: input.url,
      state: 'pending' as const,
    });
  };

  listDeliveries: NotifierHandlers['listDeliveries'] = async (input) => {
    this.listed.push(input);
    return this.answer({
      deliveries: this.deliveries.get(input.partner_id) ?? [],
      next_cursor: input.cursor === null ? 'next' : null,
    });
  };

  resendDelivery: NotifierHandlers['resendDelivery'] = async (input) => {
    this.resentOnes.push(input);
    const delivery = this.deliveries.get(input.partner_id)?.find(({ id }) => id === input.delivery_id);
    return delivery === undefined
      ? fail({ code: 'not_found', message: 'There is no such delivery' })
      : this.answer({ ...delivery, state: 'pending' as const });
  };

  resendDeliveries: NotifierHandlers['resendDeliveries'] = async (input) => {
    this.resentMany.push(input);
    return this.answer({ resent: 1_000, next_cursor: input.cursor === null ? 'behind' : null });
  };

  private async answer<T>(value: T): Promise<Result<T>> {
    if (this.away !== null) throw this.away;
    return ok(value);
  }
}
