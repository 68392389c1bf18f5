import type { Acceptance, InternalHandlers, paymentsApi, StatusRow } from '@vuka/contracts';
import { fail, ok, PAYOUT_TYPES, shortcodeOf, type Problem, type Result } from '@vuka/domain';
import { testContext } from '@vuka/service-host/test-context';

type PaymentsHandlers = InternalHandlers<typeof paymentsApi>;
type AcceptInput = Parameters<PaymentsHandlers['acceptPayout']>[0];
type PayInput = Parameters<PaymentsHandlers['acceptPay']>[0];
type CallbackInput = Parameters<PaymentsHandlers['takeCallback']>[0];
type ApprovalInput = Parameters<PaymentsHandlers['answerApproval']>[0];

interface StubTransaction {
  readonly id: number;
  readonly input: Omit<AcceptInput, 'operation'> & Partial<PayInput>;
}

/** References, hash claims, one balance per partner, no ledger. */
export class PaymentsStub implements Omit<PaymentsHandlers, 'openSandboxWallets'> {
  readonly accepted = new Map<string, StubTransaction>();
  readonly calls: AcceptInput[] = [];
  readonly pays: PayInput[] = [];
  /** As they came; `calls` and `pays` have them opened, as notifier does. */
  readonly sealedUrls: (string | null)[] = [];
  readonly controlled: string[] = [];
  readonly listed: (
    Parameters<PaymentsHandlers['listTransactions']>[0] | Parameters<PaymentsHandlers['walletStatement']>[0]
  )[] = [];
  readonly calledBack: CallbackInput[] = [];
  readonly askedToApprove: ApprovalInput[] = [];
  approves = true;
  /** Paths as `<provider>/<token>`. */
  readonly callbackPaths = new Set<string>();
  balanceMinor = 10n ** 15n;
  /** `before` runs before an acceptance is recorded, `after` afterwards. */
  before: () => Promise<void> = () => Promise.resolve();
  after: () => Promise<void> = () => Promise.resolve();

  acceptPayout: PaymentsHandlers['acceptPayout'] = (sent) => {
    const input = this.opened(sent);
    this.calls.push(input);
    return this.accept(input, () => {
      if (BigInt(input.amount_minor) > this.balanceMinor) {
        return { code: 'insufficient_balance', message: 'The wallet does not cover the amount and the service fee' };
      }
      this.balanceMinor -= BigInt(input.amount_minor);
      return null;
    });
  };

  acceptPay: PaymentsHandlers['acceptPay'] = (sent) => {
    const input = this.opened(sent);
    this.pays.push(input);
    return this.accept(input, () => {
      const claimed = this.claimOf(input);
      if (claimed === undefined) return null;
      const message = `The transaction hash has already been processed, as transaction ${claimed.input.transaction_code}`;
      return { code: 'hash_already_processed', message, transactionCode: claimed.input.transaction_code };
    });
  };

  private opened<I extends { readonly partner_id: number; readonly callback_url: string | null }>(input: I): I {
    const { partner_id: partnerId, callback_url: url } = input;
    this.sealedUrls.push(url);
    return { ...input, callback_url: url === null ? null : testContext().webhookCipher.openUrl(partnerId, url) };
  }

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

  takeCallback: PaymentsHandlers['takeCallback'] = async (input) => {
    await this.before();
    if (!this.callbackPaths.has(`${input.provider}/${input.token}`))
      return fail({ code: 'not_found', message: 'No provider has this path' });
    this.calledBack.push(input);
    return ok({ answer: '{"taken":true}' });
  };

  answerApproval: PaymentsHandlers['answerApproval'] = async (input) => {
    await this.before();
    if (!this.callbackPaths.has(`${input.provider}/${input.token}`))
      return fail({ code: 'not_found', message: 'No provider has this path' });
    this.askedToApprove.push(input);
    return ok({
      status: this.approves ? 200 : 400,
      content_type: 'text/plain; charset=latin1',
      body: JSON.stringify({ approve: this.approves }),
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

/** Finds an EVM hash in any spelling, like payments. */
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
