import type { StellarAccount } from './ledger/accounts.js';
import { amountText } from './ledger/accounts.js';
import type { Codes } from './ledger/apply-transaction.js';
import { assetFields, timeText } from './ledger/horizon-fields.js';
import { pagingToken, type Payment, type StellarLedger } from './ledger/stellar-ledger.js';
import type { StoredTransaction } from './ledger/stored-transaction.js';

/** Horizon's format (developers.stellar.org, API reference); links have no host. */
export type Body = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly status: number;
  readonly body: Body;
}

const VERSION = 'vuka-sandbox';
const PROTOCOL = 23;
const FEE = '100';
const PERCENTILES = [10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99];

const link = (href: string): Body => ({ href });

export function rootBody(ledger: StellarLedger, networkPassphrase: string): Body {
  const { latest } = ledger;
  const closedAt = timeText(ledger.ledgerAt(latest)?.closedAtMs ?? 0);
  return {
    _links: {
      self: link('/'),
      transaction: { href: '/transactions/{hash}', templated: true },
      account: { href: '/accounts/{account_id}', templated: true },
    },
    horizon_version: VERSION,
    core_version: VERSION,
    ingest_latest_ledger: latest,
    history_latest_ledger: latest,
    history_latest_ledger_closed_at: closedAt,
    history_elder_ledger: ledger.first,
    core_latest_ledger: latest,
    network_passphrase: networkPassphrase,
    current_protocol_version: PROTOCOL,
    supported_protocol_version: PROTOCOL,
    core_supported_protocol_version: PROTOCOL,
  };
}

export function feeStatsBody({ latest }: StellarLedger): Body {
  const spread = Object.fromEntries([
    ['max', FEE],
    ['min', FEE],
    ['mode', FEE],
    ...PERCENTILES.map((p) => [`p${String(p)}`, FEE]),
  ]) as Body;
  return {
    last_ledger: String(latest),
    last_ledger_base_fee: FEE,
    ledger_capacity_usage: '0.01',
    fee_charged: spread,
    max_fee: spread,
  };
}

export function ledgerBody(ledger: StellarLedger, sequence: number): Body | undefined {
  const found = ledger.ledgerAt(sequence);
  if (found === undefined) return undefined;
  const { hash, previousHash, closedAtMs, transactions } = found;
  const successful = transactions.filter((one) => one.successful);
  return {
    _links: { self: link(`/ledgers/${String(sequence)}`) },
    id: hash,
    paging_token: String(BigInt(sequence) << 32n),
    hash,
    prev_hash: previousHash,
    sequence,
    successful_transaction_count: successful.length,
    failed_transaction_count: transactions.length - successful.length,
    operation_count: successful.reduce((sum, { operations }) => sum + operations.length, 0),
    tx_set_operation_count: transactions.reduce((sum, { operations }) => sum + operations.length, 0),
    closed_at: timeText(closedAtMs),
    total_coins: '50001806812.4650000',
    fee_pool: '0.0000000',
    base_fee_in_stroops: 100,
    base_reserve_in_stroops: 5_000_000,
    max_tx_set_size: 1_000,
    protocol_version: PROTOCOL,
    header_xdr: '',
  };
}

/** Echoes the requested hash, as Horizon does. */
export function transactionBody(transaction: StoredTransaction, asked: string): Body {
  const { hash, innerHash, ledger, closedAtMs, successful, envelope, fields, signatures, innerSignatures } =
    transaction;
  const { inner_max_fee: innerMaxFee, ...told } = fields;
  return {
    _links: {
      self: link(`/transactions/${asked}`),
      operations: { href: `/transactions/${asked}/operations{?cursor,limit,order}`, templated: true },
    },
    id: asked,
    paging_token: String(pagingToken(transaction)),
    successful,
    hash: asked,
    ledger,
    created_at: timeText(closedAtMs),
    ...told,
    envelope_xdr: envelope,
    result_xdr: '',
    fee_meta_xdr: '',
    signatures: asked === hash ? signatures : innerSignatures,
    ...(innerHash !== null && {
      fee_bump_transaction: { hash, signatures },
      inner_transaction: { hash: innerHash, signatures: innerSignatures, max_fee: innerMaxFee },
    }),
  };
}

/** `joined`: with its transaction. */
export function operationBody(transaction: StoredTransaction, index: number, joined: boolean): Body {
  const { hash, closedAtMs, successful, operations, fields } = transaction;
  const token = String(pagingToken(transaction, index + 1));
  const operation = operations[index];
  return {
    _links: { self: link(`/operations/${token}`), transaction: link(`/transactions/${hash}`) },
    id: token,
    paging_token: token,
    transaction_successful: successful,
    source_account: fields['source_account'],
    type: operation?.type,
    type_i: operation?.typeNumber,
    created_at: timeText(closedAtMs),
    transaction_hash: hash,
    ...(joined && { transaction: transactionBody(transaction, hash) }),
    ...operation?.fields,
  };
}

export const paymentBody = ({ transaction, index }: Payment, joined: boolean): Body =>
  operationBody(transaction, index, joined);

export function pageBody(path: string, records: readonly Body[]): Body {
  const last = records.at(-1)?.['paging_token'];
  return {
    _links: {
      self: link(path),
      next: link(typeof last === 'string' ? `${path}?cursor=${last}` : path),
      prev: link(path),
    },
    _embedded: { records },
  };
}

export function accountBody({ id, sequence, native, lines }: StellarAccount): Body {
  const none = { buying_liabilities: '0.0000000', selling_liabilities: '0.0000000' };
  return {
    _links: { self: link(`/accounts/${id}`) },
    id,
    account_id: id,
    paging_token: id,
    sequence: String(sequence),
    subentry_count: Object.keys(lines).length,
    thresholds: { low_threshold: 0, med_threshold: 0, high_threshold: 0 },
    flags: { auth_required: false, auth_revocable: false, auth_immutable: false, auth_clawback_enabled: false },
    balances: [
      ...Object.entries(lines).map(([asset, { balance, limit }]) => ({
        balance: amountText(balance),
        limit: amountText(limit),
        ...none,
        is_authorized: true,
        is_authorized_to_maintain_liabilities: true,
        ...assetFields(asset),
      })),
      { balance: amountText(native), ...none, asset_type: 'native' },
    ],
    signers: [{ weight: 1, key: id, type: 'ed25519_public_key' }],
    data: {},
    num_sponsoring: 0,
    num_sponsored: 0,
  };
}

/** As POST /transactions. */
export function includedBody(transaction: StoredTransaction): Body {
  return { ...transactionBody(transaction, transaction.hash), id: transaction.hash };
}

export function problemBody(type: string, title: string, status: number, more: Body = {}): Body {
  return { type: `https://stellar.org/horizon-errors/${type}`, title, status, detail: title, ...more };
}

export function refusedBody(envelope: string, { transaction, inner, operations }: Codes): Body {
  const codes = {
    transaction,
    ...(inner !== undefined && { inner_transaction: inner }),
    ...(operations && { operations }),
  };
  return problemBody('transaction_failed', 'Transaction Failed', 400, {
    extras: { envelope_xdr: envelope, result_codes: codes, result_xdr: '' },
  });
}
