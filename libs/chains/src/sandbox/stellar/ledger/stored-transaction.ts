import { FeeBumpTransaction, type Memo } from '@stellar/stellar-sdk';

import { innerOf, type Applied, type Codes, type Envelope, type LedgerPlace } from './apply-transaction.js';
import type { OperationOutcome } from './operation-outcome.js';
import { partyOf } from './accounts.js';
import { timeText } from './horizon-fields.js';

/** Stored as JSON. */
export interface StoredTransaction {
  /** Outer hash of a fee bump. */
  readonly hash: string;
  readonly innerHash: string | null;
  readonly ledger: number;
  /** From 1. */
  readonly place: number;
  readonly closedAtMs: number;
  readonly successful: boolean;
  readonly codes: Codes;
  readonly envelope: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly signatures: readonly string[];
  readonly innerSignatures: readonly string[];
  readonly operations: readonly OperationOutcome[];
}

export function storedTransaction(
  envelope: Envelope,
  applied: Applied,
  place: LedgerPlace & { readonly place: number },
): StoredTransaction {
  const inner = innerOf(envelope);
  const isBump = envelope instanceof FeeBumpTransaction;
  const source = partyOf(inner.source);
  const { minTime = '0', maxTime = '0' } = inner.timeBounds ?? {};
  return {
    hash: hashOf(envelope),
    innerHash: isBump ? hashOf(inner) : null,
    ledger: place.ledger,
    place: place.place,
    closedAtMs: place.closesAtMs,
    successful: applied.successful,
    codes: applied.codes,
    envelope: envelope.toEnvelope().toXDR('base64'),
    fields: {
      source_account: source.account,
      ...(source.muxed && { account_muxed: source.muxed, account_muxed_id: source.muxedId }),
      source_account_sequence: inner.sequence,
      fee_account: partyOf(isBump ? envelope.feeSource : inner.source).account,
      fee_charged: String(applied.feeCharged),
      max_fee: envelope.fee,
      inner_max_fee: inner.fee,
      operation_count: inner.operations.length,
      ...memoFields(inner.memo),
      ...(minTime !== '0' && { valid_after: timeText(Number(minTime) * 1_000) }),
      ...(maxTime !== '0' && { valid_before: timeText(Number(maxTime) * 1_000) }),
    },
    signatures: signaturesOf(envelope),
    innerSignatures: signaturesOf(inner),
    operations: applied.operations,
  };
}

export const hashOf = (envelope: Envelope): string => envelope.hash().toString('hex');

const signaturesOf = (envelope: Envelope): string[] =>
  envelope.signatures.map((one) => one.signature().toString('base64'));

/** Texts come twice, because they may not be UTF-8. */
function memoFields({ type, value }: Memo): Readonly<Record<string, string>> {
  if (type === 'none' || value === null) return { memo_type: 'none' };
  if (type === 'id') return { memo_type: type, memo: String(value) };
  const bytes = Buffer.from(value);
  return type === 'text'
    ? { memo_type: type, memo: bytes.toString('utf8'), memo_bytes: bytes.toString('base64') }
    : { memo_type: type, memo: bytes.toString('base64') };
}
