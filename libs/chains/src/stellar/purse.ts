import { MalformedAnswerError, objectAt, type JsonObject } from '../reader/json-values.js';

import { amountAt, assetAt, booleanAt, countAt, uint64At } from './horizon-values.js';

/** Spendable, minor units. */
export interface Purse {
  readonly tokenMinor: bigint;
  readonly feeMinor: bigint;
  /** Of its newest transaction. */
  readonly sequence: bigint;
}

/** Two reserves, plus one per trustline and similar entry. */
const RESERVE_MINOR = 5_000_000n;
const OWN_RESERVES = 2n;
/** SEP-29: base64 of 1. */
const MEMO_REQUIRED = { name: 'config.memo_required', value: 'MQ==' };

/** `asset`: `CODE:ISSUER`. Without reserves and offers. Throws MalformedAnswerError. */
export function purseOf(account: JsonObject, asset: string): Purse {
  const [token, native] = [lineOf(account, asset), lineOf(account, undefined)];
  if (native === undefined) throw new MalformedAnswerError('account.balances');
  const [entries, sponsoring, sponsored] = ['subentry_count', 'num_sponsoring', 'num_sponsored'].map((name) =>
    BigInt(countAt(account[name], `account.${name}`)),
  ) as [bigint, bigint, bigint];
  const kept = (OWN_RESERVES + entries + sponsoring - sponsored) * RESERVE_MINOR;
  return {
    tokenMinor: token === undefined || !isAuthorised(token) ? 0n : freeOf(token, 0n),
    feeMinor: freeOf(native, kept),
    sequence: uint64At(account['sequence'], 'account.sequence'),
  };
}

/** Full balance; 0n without a trustline. Throws MalformedAnswerError. */
export function holdingOf(account: JsonObject, asset: string): bigint {
  const line = lineOf(account, asset);
  return line === undefined ? 0n : amountAt(line['balance'], 'balance.balance');
}

/** By rule of the network or the recipient; undefined: allowed. */
export function refusalOf(
  account: JsonObject | undefined,
  asset: string,
  amountMinor: bigint,
  isMuxed: boolean,
): string | undefined {
  if (account === undefined) return 'there is no such account';
  const data = account['data'] === undefined ? {} : objectAt(account['data'], 'account.data');
  if (!isMuxed && data[MEMO_REQUIRED.name] === MEMO_REQUIRED.value)
    return 'the account accepts no payment without a memo (SEP-29): use a muxed address of it, M…';
  if (asset.endsWith(`:${String(account['account_id'])}`)) return undefined;
  const line = lineOf(account, asset);
  if (line === undefined) return 'the account has no trustline for the asset';
  if (!isAuthorised(line)) return 'the issuer of the asset has not authorised the account';
  const room =
    amountAt(line['limit'], 'balance.limit') -
    amountAt(line['balance'], 'balance.balance') -
    amountAt(line['buying_liabilities'], 'balance.buying_liabilities');
  return room < amountMinor ? 'the trustline of the account has no room for so much' : undefined;
}

function lineOf({ balances }: JsonObject, asset: string | undefined): JsonObject | undefined {
  if (!Array.isArray(balances)) throw new MalformedAnswerError('account.balances');
  const lines = balances
    .map((line) => objectAt(line, 'balance'))
    .filter((line) => line['asset_type'] !== 'liquidity_pool_shares');
  return lines.find((line) => assetAt(line, 'balance') === asset);
}

const isAuthorised = (line: JsonObject): boolean => booleanAt(line['is_authorized'], 'balance.is_authorized');

function freeOf(line: JsonObject, kept: bigint): bigint {
  const free =
    amountAt(line['balance'], 'balance.balance') -
    amountAt(line['selling_liabilities'], 'balance.selling_liabilities') -
    kept;
  return free > 0n ? free : 0n;
}
