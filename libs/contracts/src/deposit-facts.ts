import { decodeMoney, encodeMinor, type ArrivedDeposit, type Asset, type Money } from '@vuka/domain';
import { z } from 'zod';

/** Minor units of a currency or token (up to 18 decimals). */
export const minorUnits = z.string().regex(/^\d{1,38}$/, 'a whole number of minor units');

export const encodeAmount = <C extends Asset>(amount: Money<C>): { currency: C; amount_minor: string } => ({
  currency: amount.currency,
  amount_minor: encodeMinor(amount),
});

export const decodeAmount = ({ currency, amount_minor }: { currency: Asset; amount_minor: string }): Money =>
  decodeMoney(amount_minor, currency);

/** Fiat per whole token, an exact decimal: `129.35`. */
export const rateText = z.string().regex(/^\d{1,18}(\.\d{1,18})?$/, 'a decimal rate');

/** A token in the ledger: `USDC@BNB`. */
export const assetName = z.string().regex(/^[A-Za-z0-9._+-]{1,20}@[A-Z]{1,20}$/);

export const depositFacts = z.object({
  /** From offramp; never changes. */
  deposit_id: z.int().positive(),
  chain: z.string().min(1).max(20),
  asset: assetName,
  decimals: z.int().min(0).max(18),
  received_minor: minorUnits,
  transaction_hash: z.string().min(1).max(100),
  block_number: z.int().nonnegative(),
  block_time: z.iso.datetime(),
});
export type DepositFacts = z.infer<typeof depositFacts>;

export function encodeDeposit(deposit: ArrivedDeposit): DepositFacts {
  return {
    deposit_id: deposit.depositId,
    chain: deposit.chain,
    asset: deposit.received.currency,
    decimals: deposit.decimals,
    received_minor: encodeMinor(deposit.received),
    transaction_hash: deposit.transactionHash,
    block_number: deposit.blockNumber,
    block_time: deposit.blockTime.toISOString(),
  };
}

export function decodeDeposit(facts: DepositFacts): ArrivedDeposit {
  return {
    depositId: facts.deposit_id,
    chain: facts.chain,
    received: decodeMoney(facts.received_minor, facts.asset),
    decimals: facts.decimals,
    transactionHash: facts.transaction_hash,
    blockNumber: facts.block_number,
    blockTime: new Date(facts.block_time),
  };
}

/** Failure codes of libs/domain. */
export const depositFailure = z.enum([
  'no_matching_transfer',
  'hash_already_processed',
  'transfer_failed',
  'transfer_not_final',
  'underpaid',
  'wrong_asset',
  'deposit_late',
  'quote_expired',
]);
