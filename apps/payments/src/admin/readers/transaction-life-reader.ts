import { shortcodeOf, type AttemptState, type TransactionState } from '@vuka/domain';
import type { PayoutDestination } from '@vuka/payouts';
import type { Queryable } from '@vuka/persistence';
import { maskTail } from '@vuka/runtime';

import type { DestinationVault } from '../../transactions/index.js';
import { DepositReader } from './deposit-reader.js';
import type { MoneyTroubleReader } from './money-trouble-reader.js';
import { moneyOf, SUMMARY_COLUMNS, summaryOf, timeOf, timeOrNull, wordsOf, type SummaryRow } from './view-values.js';
import type {
  AttemptView,
  DestinationView,
  HoldView,
  PostingView,
  TransactionReport,
  TransactionView,
  TransitionView,
} from './views.js';

interface TransactionRow extends SummaryRow {
  fee_minor: string;
  service_fee_minor: string;
  callback_url: string | null;
  message: string;
  failure_code: string | null;
  receipt_number: string | null;
  public_name: string | null;
  request_id: string;
  traceparent: string;
  sequence: number;
  public_sequence: number;
  due_at: Date | null;
  park_deadline: Date | null;
  updated_at: Date;
  kind: PayoutDestination['kind'];
  bank_code: string;
  bank_name: string;
  mobile_network: string;
  sealed: string;
  sealed_key: string | null;
}

interface AttemptRow {
  attempt_no: number;
  provider: string;
  wallet: string;
  provider_reference: string;
  provider_payment_id: string | null;
  state: AttemptState;
  amount_minor: string;
  polls: number;
  next_at: Date | null;
  lease_until: Date | null;
  late_until: Date | null;
  ended_by: string | null;
  receipt_number: string | null;
  provider_detail: string;
  created_at: Date;
  updated_at: Date;
}

interface LegRow {
  reference: string;
  kind: string;
  at: Date;
  from_name: string;
  to_name: string;
  asset: string;
  amount_minor: string;
}

/** The newest; more than four hours of waiting for float. Older ones are counted. */
const TIMELINE_SHOWN = 2_500;
const ATTEMPTS_SHOWN = 1_200;
const LEGS_SHOWN = 1_000;

export class TransactionLifeReader {
  constructor(
    private readonly db: Queryable,
    private readonly vault: DestinationVault,
    private readonly troubles: MoneyTroubleReader,
  ) {}

  async read(id: number): Promise<TransactionReport | undefined> {
    const [row] = await this.db.query<TransactionRow>(
      `select ${SUMMARY_COLUMNS}, t.fee_minor::text as fee_minor, t.service_fee_minor::text as service_fee_minor, t.callback_url, t.message,
          t.failure_code, t.receipt_number, t.public_name, t.request_id, t.traceparent, t.sequence, t.public_sequence, t.due_at, t.park_deadline,
          t.updated_at, d.kind, d.bank_code, d.bank_name, d.mobile_network, d.sealed, nullif(rk.sealed_key, '') as sealed_key
         from transactions t join destinations d on d.transaction_id = t.id left join recipient_keys rk on rk.id = d.key_id where t.id = $1`,
      [id],
    );
    if (!row) return undefined;
    const { currency } = row;
    const deposits = new DepositReader(this.db);
    return {
      transaction: this.transaction(row),
      ...(await this.timeline(id)),
      attempts: await this.attempts(id, currency),
      hold: await this.hold(id),
      postings: await this.postings(id),
      duplicate_payment: await this.troubles.duplicatePaymentOf(id),
      incidents: await this.troubles.incidentsOf(id),
      settlements: await this.troubles.settlementsOf(id),
      pay: await deposits.payOf(id),
      deposits: await deposits.depositsOf(id),
    };
  }

  private transaction(row: TransactionRow): TransactionView {
    return {
      ...summaryOf(row),
      fee: moneyOf(row.fee_minor, row.currency),
      service_fee: moneyOf(row.service_fee_minor, row.currency),
      destination: this.destination(row),
      callback_host: row.callback_url === null ? null : hostOf(row.callback_url),
      message: row.message,
      failure_code: row.failure_code,
      receipt_number: row.receipt_number,
      recipient_name: this.vault.openName(Number(row.id), row.public_name),
      request_id: row.request_id,
      traceparent: row.traceparent,
      sequence: row.sequence,
      public_sequence: row.public_sequence,
      due_at: timeOrNull(row.due_at),
      park_deadline: timeOrNull(row.park_deadline),
      updated_at: timeOf(row.updated_at),
    };
  }

  private destination(row: TransactionRow): DestinationView {
    // An order's credit pays nobody.
    if (row.operation === 'checkout')
      return {
        kind: 'checkout',
        account_number: null,
        shortcode: null,
        bank_code: null,
        bank_name: null,
        mobile_network: null,
      };
    const networks = {
      bank_code: row.bank_code || null,
      bank_name: row.bank_name || null,
      mobile_network: row.mobile_network || null,
    };
    if (row.sealed_key === null)
      return {
        kind: row.kind,
        account_number: 'erased',
        shortcode: row.kind === 'bank' ? null : 'erased',
        ...networks,
      };
    const opened = this.vault.open(Number(row.id), row.currency, {
      kind: row.kind,
      bankCode: row.bank_code,
      bankName: row.bank_name,
      mobileNetwork: row.mobile_network,
      sealed: row.sealed,
      key: { partnerId: row.partner_id, sealed: row.sealed_key },
    });
    return {
      kind: opened.kind,
      account_number: 'account_number' in opened ? maskTail(opened.account_number) : null,
      shortcode: opened.kind === 'bank' ? null : maskTail(shortcodeOf(opened)),
      ...networks,
    };
  }

  private async timeline(id: number): Promise<Pick<TransactionReport, 'timeline' | 'timeline_left_out'>> {
    const rows = await this.db.query<{
      sequence: number;
      at: Date;
      from_state: TransactionState | null;
      to_state: TransactionState;
      event: string;
      attempt_no: number;
      detail: string;
      total: string;
    }>(
      `select sequence, at, from_state, to_state, event, attempt_no, detail, count(*) over () as total
         from transitions where transaction_id = $1 order by sequence desc limit ${TIMELINE_SHOWN}`,
      [id],
    );
    const timeline = rows.reverse().map((row): TransitionView => ({
      sequence: row.sequence,
      at: timeOf(row.at),
      from: row.from_state,
      to: row.to_state,
      event: row.event,
      attempt_no: row.attempt_no,
      detail: wordsOf(row.detail),
    }));
    return { timeline, timeline_left_out: Number(rows[0]?.total ?? 0) - timeline.length };
  }

  private async attempts(id: number, currency: string): Promise<AttemptView[]> {
    const rows = await this.db.query<AttemptRow>(
      `select attempt_no, provider, wallet, provider_reference::text as provider_reference, provider_payment_id, state, amount_minor::text as amount_minor, polls, next_at, lease_until,
          late_until, ended_by, receipt_number, provider_detail, created_at, updated_at
         from attempts where transaction_id = $1 order by attempt_no desc limit ${ATTEMPTS_SHOWN}`,
      [id],
    );
    return rows.reverse().map((row) => ({
      attempt_no: row.attempt_no,
      provider: row.provider,
      wallet: row.wallet,
      provider_reference: row.provider_reference,
      provider_payment_id: row.provider_payment_id,
      state: row.state,
      amount: moneyOf(row.amount_minor, currency),
      polls: row.polls,
      next_check_at: timeOrNull(row.next_at),
      claimed_until: timeOrNull(row.lease_until),
      watched_until: timeOrNull(row.late_until),
      ended_by: row.ended_by,
      receipt_number: row.receipt_number,
      detail: wordsOf(row.provider_detail),
      created_at: timeOf(row.created_at),
      updated_at: timeOf(row.updated_at),
    }));
  }

  private async hold(id: number): Promise<HoldView | null> {
    const [row] = await this.db.query<{
      state: HoldView['state'];
      amount_minor: string;
      asset: string;
      opened_at: Date;
      closed_at: Date | null;
    }>(
      `select state, amount_minor::text as amount_minor, asset, opened_at, closed_at from holds where transaction_id = $1`,
      [id],
    );
    if (!row) return null;
    return {
      state: row.state,
      amount: moneyOf(row.amount_minor, row.asset),
      opened_at: timeOf(row.opened_at),
      closed_at: timeOrNull(row.closed_at),
    };
  }

  private async postings(id: number): Promise<PostingView[]> {
    const rows = await this.db.query<LegRow>(
      `select p.reference, p.kind, p.at, f.name as from_name, o.name as to_name, e.asset, e.amount_minor::text as amount_minor
         from postings p join entries e on e.posting_id = p.id join accounts f on f.id = e.from_account join accounts o on o.id = e.to_account
        where p.transaction_id = $1 order by p.id, e.leg_no limit ${LEGS_SHOWN}`,
      [id],
    );
    const postings = new Map<string, PostingView & { legs: PostingView['legs'][number][] }>();
    for (const row of rows) {
      const posting = postings.get(row.reference) ?? {
        reference: row.reference,
        kind: row.kind,
        at: timeOf(row.at),
        legs: [],
      };
      posting.legs.push({ from: row.from_name, to: row.to_name, amount: moneyOf(row.amount_minor, row.asset) });
      postings.set(row.reference, posting);
    }
    return [...postings.values()];
  }
}

function hostOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).host : null;
}
