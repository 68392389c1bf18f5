import { FeeBumpTransaction, Keypair, type Operation, type Transaction } from '@stellar/stellar-sdk';

import { AccountBook, NATIVE, partyOf, withBalance, type StellarAccount } from './accounts.js';
import { applyOperation } from './apply-operation.js';
import type { OperationOutcome, OperationSurroundings } from './operation-outcome.js';

export type Envelope = Transaction | FeeBumpTransaction;

export interface Codes {
  readonly transaction: string;
  /** Of a fee bump. */
  readonly inner?: string;
  readonly operations?: readonly string[];
}

export interface LedgerPlace {
  readonly ledger: number;
  readonly closesAtMs: number;
}

export interface Applied {
  readonly successful: boolean;
  readonly feeCharged: bigint;
  readonly codes: Codes;
  readonly operations: readonly OperationOutcome[];
  /** New states. */
  readonly changed: readonly StellarAccount[];
}

export interface TransactionSurroundings {
  readonly read: (id: string) => StellarAccount | undefined;
  readonly assetOfContract: OperationSurroundings['assetOfContract'];
  /** false: the sandbox acts without keys. */
  readonly isSigned: boolean;
}

const BASE_FEE = 100n;

export const innerOf = (envelope: Envelope): Transaction =>
  envelope instanceof FeeBumpTransaction ? envelope.innerTransaction : envelope;

/** Why it cannot be in a ledger, at no fee; undefined if it can. */
export function invalidity(
  envelope: Envelope,
  place: LedgerPlace,
  surroundings: TransactionSurroundings,
): Codes | undefined {
  const inner = innerOf(envelope);
  const why = invalidityOfInner(inner, place, surroundings);
  if (!(envelope instanceof FeeBumpTransaction))
    return (
      why ??
      (BigInt(inner.fee) < feeOf(inner) ? { transaction: 'tx_insufficient_fee' } : affordable(envelope, surroundings))
    );
  if (why !== undefined)
    return {
      transaction: 'tx_fee_bump_inner_failed',
      inner: why.transaction,
      ...(why.operations && { operations: why.operations }),
    };
  if (BigInt(envelope.fee) < feeOf(envelope)) return { transaction: 'tx_insufficient_fee' };
  return (
    affordable(envelope, surroundings) ??
    (isSignedBy(envelope, feeSourceOf(envelope), surroundings) ? undefined : { transaction: 'tx_bad_auth' })
  );
}

/** Failed operations also pay the fee. */
export function applyTransaction(
  envelope: Envelope,
  { ledger }: LedgerPlace,
  { read, assetOfContract }: TransactionSurroundings,
): Applied {
  const inner = innerOf(envelope);
  const feeCharged = feeOf(envelope);
  const charged = new AccountBook(read);
  change(charged, feeSourceOf(envelope), (account) => withBalance(account, NATIVE, account.native - feeCharged));
  change(charged, partyOf(inner.source).account, (account) => ({ ...account, sequence: BigInt(inner.sequence) }));
  const accounts = new AccountBook((id) => charged.find(id));
  const operations = inner.operations.map((operation) => {
    const outcome = applyOperation(operation, {
      accounts,
      source: partyOf(operation.source ?? inner.source),
      ledger,
      assetOfContract,
    });
    if (outcome === undefined) throw new Error('an operation that is unknown here is refused before');
    return outcome;
  });
  const successful = operations.every(({ code }) => code === 'op_success');
  for (const account of successful ? accounts.changes : []) charged.put(account);
  const outcome = successful ? 'tx_success' : 'tx_failed';
  const codes = { operations: operations.map(({ code }) => code) };
  return {
    successful,
    feeCharged,
    operations,
    changed: charged.changes,
    codes:
      envelope instanceof FeeBumpTransaction
        ? {
            transaction: successful ? 'tx_fee_bump_inner_success' : 'tx_fee_bump_inner_failed',
            inner: outcome,
            ...codes,
          }
        : { transaction: outcome, ...codes },
  };
}

function invalidityOfInner(
  inner: Transaction,
  { closesAtMs, ledger }: LedgerPlace,
  surroundings: TransactionSurroundings,
): Codes | undefined {
  const source = surroundings.read(partyOf(inner.source).account);
  const closesAt = BigInt(Math.floor(closesAtMs / 1_000));
  const { minTime = '0', maxTime = '0' } = inner.timeBounds ?? {};
  if (closesAt < BigInt(minTime)) return { transaction: 'tx_too_early' };
  if (maxTime !== '0' && closesAt > BigInt(maxTime)) return { transaction: 'tx_too_late' };
  if (inner.operations.length === 0) return { transaction: 'tx_missing_operation' };
  if (source === undefined) return { transaction: 'tx_no_source_account' };
  if (BigInt(inner.sequence) !== source.sequence + 1n) return { transaction: 'tx_bad_seq' };
  const sources = new Set(
    [inner.source, ...inner.operations.flatMap(({ source: own }) => own ?? [])].map(
      (address) => partyOf(address).account,
    ),
  );
  if (![...sources].every((id) => isSignedBy(inner, id, surroundings))) return { transaction: 'tx_bad_auth' };
  const known = inner.operations.map((operation) => isKnown(operation, inner, ledger, surroundings));
  return known.every(Boolean)
    ? undefined
    : { transaction: 'tx_failed', operations: known.map((one) => (one ? 'op_success' : 'op_not_supported')) };
}

/** Tried on a copy. */
function isKnown(
  operation: Operation,
  { source }: Transaction,
  ledger: number,
  { read, assetOfContract }: TransactionSurroundings,
): boolean {
  return (
    applyOperation(operation, {
      accounts: new AccountBook(read),
      source: partyOf(operation.source ?? source),
      ledger,
      assetOfContract,
    }) !== undefined
  );
}

function affordable(envelope: Envelope, { read }: TransactionSurroundings): Codes | undefined {
  const payer = read(feeSourceOf(envelope));
  return payer !== undefined && payer.native >= feeOf(envelope)
    ? undefined
    : { transaction: payer === undefined ? 'tx_no_source_account' : 'tx_insufficient_balance' };
}

const feeSourceOf = (envelope: Envelope): string =>
  partyOf(envelope instanceof FeeBumpTransaction ? envelope.feeSource : envelope.source).account;

/** Minimum fee. */
const feeOf = (envelope: Envelope): bigint =>
  BASE_FEE * BigInt(innerOf(envelope).operations.length + (envelope instanceof FeeBumpTransaction ? 1 : 0));

function isSignedBy(envelope: Envelope, account: string, { isSigned }: TransactionSurroundings): boolean {
  const key = Keypair.fromPublicKey(account);
  return !isSigned || envelope.signatures.some((decorated) => key.verify(envelope.hash(), decorated.signature()));
}

function change(accounts: AccountBook, id: string, to: (account: StellarAccount) => StellarAccount): void {
  const account = accounts.find(id);
  if (account === undefined) throw new Error('an account that is charged exists');
  accounts.put(to(account));
}
