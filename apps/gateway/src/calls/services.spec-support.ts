import type {
  Acceptance,
  checkoutApi,
  DeliveryView,
  InternalHandlers,
  NetworkView,
  notifierApi,
  offrampApi,
  OrderView,
  paymentsApi,
  QuoteView,
  StatusRow,
  validationApi,
} from '@vuka/contracts';
import { fail, ok, PAYOUT_TYPES, shortcodeOf, type Problem, type Result } from '@vuka/domain';

type PaymentsHandlers = InternalHandlers<typeof paymentsApi>;
type AcceptInput = Parameters<PaymentsHandlers['acceptPayout']>[0];
type PayInput = Parameters<PaymentsHandlers['acceptPay']>[0];

interface StubTransaction {
  readonly id: number;
  readonly input: Omit<AcceptInput, 'operation'> & Partial<PayInput>;
}

/** payments as the gateway sees it: references, claims of hashes, one balance per partner, no ledger. */
export class PaymentsStub implements Omit<PaymentsHandlers, 'openSandboxWallets'> {
  readonly accepted = new Map<string, StubTransaction>();
  readonly calls: AcceptInput[] = [];
  readonly pays: PayInput[] = [];
  readonly controlled: string[] = [];
  readonly listed: (
    Parameters<PaymentsHandlers['listTransactions']>[0] | Parameters<PaymentsHandlers['walletStatement']>[0]
  )[] = [];
  balanceMinor = 10n ** 15n;
  /** Runs before an acceptance is recorded, and after it was. */
  before: () => Promise<void> = () => Promise.resolve();
  after: () => Promise<void> = () => Promise.resolve();

  acceptPayout: PaymentsHandlers['acceptPayout'] = (input) => {
    this.calls.push(input);
    return this.accept(input, () => {
      if (BigInt(input.amount_minor) > this.balanceMinor) {
        return { code: 'insufficient_balance', message: 'The wallet does not cover the amount and the service fee' };
      }
      this.balanceMinor -= BigInt(input.amount_minor);
      return null;
    });
  };

  acceptPay: PaymentsHandlers['acceptPay'] = (input) => {
    this.pays.push(input);
    return this.accept(input, () => {
      const claimed = this.claimOf(input);
      if (claimed === undefined) return null;
      const message = `The transaction hash has already been processed, as transaction ${claimed.input.transaction_code}`;
      return { code: 'hash_already_processed', message, transactionCode: claimed.input.transaction_code };
    });
  };

  private claimOf({ partner_id, chain, transaction_hash }: PayInput): StubTransaction | undefined {
    return this.claimsOf(partner_id).find(
      ({ input }) => input.chain === chain && input.transaction_hash === transaction_hash,
    );
  }

  private claimsOf(partnerId: number): StubTransaction[] {
    return [...this.accepted.values()].filter(
      ({ input }) => input.partner_id === partnerId && input.transaction_hash !== undefined,
    );
  }

  private async accept(input: StubTransaction['input'], refusalOf: () => Problem | null): Promise<Result<Acceptance>> {
    await this.before();
    const name = `${String(input.partner_id)}/${input.transaction_code}`;
    const known = this.accepted.get(name);
    if (known !== undefined && known.input.fingerprint !== input.fingerprint) {
      const message = `The reference belongs to transaction ${input.transaction_code}`;
      return fail({ code: 'reference_reused', message, transactionCode: input.transaction_code });
    }
    const refusal = known === undefined ? refusalOf() : null;
    if (refusal !== null) return fail(refusal);
    const transaction = known ?? { id: this.accepted.size + 1, input };
    this.accepted.set(name, transaction);
    await this.after();
    return ok({
      transaction_id: transaction.id,
      status: 'PENDING' as const,
      transaction_code: input.transaction_code,
      message: 'The transfer is being processed',
      replayed: known !== undefined,
    });
  }

  findAcceptance: PaymentsHandlers['findAcceptance'] = async ({ partner_id, transaction_code, fingerprint }) => {
    const known = this.accepted.get(`${String(partner_id)}/${transaction_code}`);
    if (known?.input.fingerprint !== fingerprint) return ok({ acceptance: null });
    const { id } = known;
    return ok({
      acceptance: {
        transaction_id: id,
        status: 'PENDING' as const,
        transaction_code,
        message: 'The transfer is being processed',
        replayed: true,
      },
    });
  };

  controlSandboxPayout: PaymentsHandlers['controlSandboxPayout'] = async ({ partner_id, transaction_code, action }) => {
    this.controlled.push(`${action} ${transaction_code}`);
    return this.accepted.has(`${String(partner_id)}/${transaction_code}`)
      ? ok({ transaction_code, status: 'PROCESSING' as const, done: true })
      : fail({ code: 'not_found', message: 'No such transaction' });
  };

  getTransaction: PaymentsHandlers['getTransaction'] = async ({ partner_id, currency, by }) => {
    const code = 'transaction_code' in by ? by.transaction_code : 'reference' in by ? by.reference : '';
    const byHash =
      'transaction_hash' in by
        ? this.claimsOf(partner_id).find(({ input }) => input.transaction_hash === anySpelling(by.transaction_hash))
        : undefined;
    const found = byHash ?? this.accepted.get(`${String(partner_id)}/${code}`);
    if (found === undefined || (currency !== null && found.input.currency !== currency)) {
      return fail({ code: 'not_found', message: 'No such transaction' });
    }
    return ok(rowOf(found));
  };

  /** The partner's, newest first; `refused` is the cursor of another list. */
  listTransactions: PaymentsHandlers['listTransactions'] = async (input) => {
    this.listed.push(input);
    if (input.cursor === 'refused') return foreignCursor();
    const rows = [...this.accepted.values()]
      .filter(({ input: { partner_id } }) => partner_id === input.partner_id)
      .map(rowOf)
      .reverse();
    return ok({ rows: rows.slice(0, input.limit), next_cursor: rows.length > input.limit ? 'next' : null });
  };

  walletStatement: PaymentsHandlers['walletStatement'] = async (input) => {
    this.listed.push(input);
    if (input.cursor === 'refused') return foreignCursor();
    const entry = {
      id: 100,
      at: '2026-01-01T00:00:00.000Z',
      kind: 'opening' as const,
      transaction_code: '',
      amount: '1.00',
      balance: '1.00',
    };
    return input.currency === 'ETB'
      ? fail({ code: 'not_found', message: 'There is no ETB wallet' })
      : ok({ entries: [entry], next_cursor: null });
  };

  /** What is asked back; `refundRefusal` is the answer where it is not null. */
  readonly refundsAsked: Parameters<PaymentsHandlers['requestRefund']>[0][] = [];
  refundRefusal: Problem | null = null;

  requestRefund: PaymentsHandlers['requestRefund'] = async (input) => {
    this.refundsAsked.push(input);
    await this.before();
    if (this.refundRefusal !== null) return fail(this.refundRefusal);
    const address = input.refund_address ?? '0x00000000219ab540356cBB839Cbe05303d7705Fa';
    return ok({
      refund_id: 7000,
      status: 'PENDING' as const,
      chain: input.chain,
      asset: 'USDC',
      amount_minor: '11596444',
      decimals: 6,
      address,
      transaction_hash: null,
    });
  };

  listWallets: PaymentsHandlers['listWallets'] = async ({ partner_id }) =>
    ok({
      wallets:
        partner_id !== 1
          ? []
          : [
              { id: 1, currency: 'KES', balance_minor: '900719925474099301' },
              { id: 2, currency: 'UGX', balance_minor: '500' },
              { id: 3, currency: 'USD', balance_minor: '1000000' },
            ],
    });
}

/** As payments finds a transfer of an EVM chain. */
const anySpelling = (hash: string): string => `0x${hash.slice(-64).toLowerCase()}`;

function foreignCursor(): { ok: false; error: Problem } {
  const detail = 'cursor must be of this list';
  return fail({ code: 'invalid_request', message: detail, faults: [{ detail, pointer: '/cursor' }] });
}

function rowOf({ id, input }: StubTransaction): StatusRow {
  const { destination } = input;
  return {
    id,
    transaction_code: input.transaction_code,
    status: 'PENDING',
    amount: input.amount_minor,
    amount_in_usd: '1.00',
    type: PAYOUT_TYPES[destination.kind],
    shortcode: shortcodeOf(destination),
    account_number: 'account_number' in destination ? destination.account_number : null,
    public_name: null,
    receipt_number: null,
    category: 'DISBURSEMENT',
    chain: input.chain ?? '',
    asset: input.asset ?? null,
    transaction_hash: input.transaction_hash ?? null,
    message: '',
    currency_code: input.currency,
    is_released: false,
    mobile_network: destination.kind === 'mobile' ? destination.mobile_network : '',
    created_at: '2026-01-01T00:00:00.000Z',
    bank_code: destination.kind === 'bank' ? destination.bank_code : '',
    bank_name: destination.kind === 'bank' ? destination.bank_name : '',
    fee: '0.00',
    service_fee: '30.00',
    rate: '',
    quote_id: '',
    failure_code: '',
    refund: '',
    order_id: '',
    updated_at: '2026-01-01T00:00:00.000Z',
    correction: '',
  };
}

type ValidationHandlers = InternalHandlers<typeof validationApi>;

/** Names as the gateway sees them: what the test says, and what was asked. */
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

/** offramp as the gateway sees it: two chains, one rate, and whatever the test says of quotes; `away` rejects every call. */
export class OfframpStub implements OfframpHandlers {
  chains = [
    { name: 'CELO', assets: ['USDC', 'USDT'] },
    { name: 'BASE', assets: ['USDC'] },
  ];
  networks: NetworkView[] = [];
  rate = { buying_rate: '129.35', selling_rate: '131.05', quoted_rate: '130.2' };
  away: Error | null = null;
  /** What the next question is refused for. */
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

  /** Checkout's alone. */
  reserveOrder: OfframpHandlers['reserveOrder'] = async () =>
    fail({ code: 'service_unavailable', message: 'orders are reserved by checkout' });

  /** As the chain spells it: the stub's addresses have small letters. */
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

/** What all orders of the stub have in common. */
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

/** checkout as the gateway sees it: one order for each order_id, which a test may change; `before` and `after` stand around its making. */
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

/** What all deliveries of the stub have in common. */
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

/** notifier as the gateway sees it: a log for each partner. */
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
