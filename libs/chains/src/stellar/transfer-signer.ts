import { CHAINS, fail, ok, tokenAt, type Result, type StellarChain } from '@vuka/domain';
import {
  Account,
  Asset,
  FeeBumpTransaction,
  Keypair,
  Operation,
  StrKey,
  TransactionBuilder,
  type Transaction,
} from '@stellar/stellar-sdk';

import { readStellarAddress } from '../address/stellar-address.js';
import type { SignedTransfer, TransferSigner, UnsignedTransfer } from '../outgoing.js';

const NUMBER = /^(0|[1-9]\d{0,18})$/;
const UNIT = 10_000_000n;

/** One payment, no memo, with time bounds. Throws on invalid fields. */
export function meantTransaction({
  chain: name,
  token,
  from,
  to,
  amountMinor,
  place,
  symbol,
  decimals,
  terms,
}: Omit<UnsignedTransfer, 'payload' | 'mostFeeMinor' | 'expiresAt'>): Transaction {
  const chain =
    CHAINS.find((one): one is StellarChain => one.name === name && one.family === 'stellar') ??
    refuse(`${name} is no Stellar of the registry`);
  const listed = tokenAt(chain, token) ?? refuse(`${token} is no listed token of ${name}`);
  if (listed.symbol !== symbol || listed.decimals !== decimals)
    refuse(
      `${token} is ${listed.symbol} with ${String(listed.decimals)} decimals, not ${symbol} with ${String(decimals)}`,
    );
  if (!StrKey.isValidEd25519PublicKey(from)) refuse('who pays is no account, G…');
  if (!readStellarAddress(to).ok) refuse('who is paid is neither an account, G…, nor a muxed one, M…');
  const sequence = whole(place, 'place');
  const minor = whole(amountMinor, 'amountMinor');
  if (sequence === 0n || minor === 0n) refuse('a sequence and an amount are above zero');
  const timebounds = { minTime: 0, maxTime: Number(whole(terms['max_time'], 'max_time')) };
  const fee = String(whole(terms['fee'], 'fee'));
  const amount = `${String(minor / UNIT)}.${String(minor % UNIT).padStart(7, '0')}`;
  return new TransactionBuilder(new Account(from, String(sequence - 1n)), {
    fee,
    networkPassphrase: chain.networkPassphrase,
    timebounds,
  })
    .addOperation(
      Operation.payment({ destination: to, asset: new Asset(listed.onchainSymbol, listed.address), amount }),
    )
    .build();
}

/** Independent of signatures. */
export const hashOf = (transaction: Transaction): string => transaction.hash().toString('hex');

export const xdrOf = (transaction: Transaction): string => transaction.toEnvelope().toXDR('base64');

/** Fails unless the rebuilt transaction equals the payload. */
export function transactionToSign(unsigned: UnsignedTransfer): Result<Transaction, string> {
  const meant = guarded('it is not a transfer', () => meantTransaction(unsigned));
  if (!meant.ok) return meant;
  if (unsigned.mostFeeMinor !== meant.value.fee) return fail('its fee differs from the fee that it states');
  if (unsigned.expiresAt !== expiryOf(meant.value)) return fail('it expires at another time than it states');
  return xdrOf(meant.value) === unsigned.payload ? meant : fail('the bytes to sign differ from the stated transfer');
}

export const expiryOf = ({ timeBounds }: Transaction): string =>
  new Date(Number(timeBounds?.maxTime ?? 0) * 1_000).toISOString();

export const STELLAR_TRANSFER_SIGNER: TransferSigner = {
  addressOf: (secret) =>
    StrKey.isValidEd25519SecretSeed(secret)
      ? ok(Keypair.fromSecret(secret).publicKey())
      : fail('the key must be a secret of Stellar, S and 55 letters and digits'),

  sign(unsigned, secret) {
    const address = STELLAR_TRANSFER_SIGNER.addressOf(secret);
    if (!address.ok) return address;
    if (address.value !== unsigned.from)
      return fail(`the key belongs to ${address.value}, but ${unsigned.from} must pay`);
    const transaction = transactionToSign(unsigned);
    if (!transaction.ok) return transaction;
    transaction.value.sign(Keypair.fromSecret(secret));
    return ok(signedOf(unsigned, transaction.value));
  },

  verify(unsigned, raw) {
    const meant = transactionToSign(unsigned);
    if (!meant.ok) return meant;
    const given = guarded('it is not a signed transaction', () =>
      TransactionBuilder.fromXDR(raw, meant.value.networkPassphrase),
    );
    if (!given.ok) return given;
    if (given.value instanceof FeeBumpTransaction || hashOf(given.value) !== hashOf(meant.value))
      return fail('the signed transaction differs from the request');
    const [signature, ...more] = given.value.signatures;
    if (signature === undefined) return fail('it is not signed');
    const isOurs =
      more.length === 0 && Keypair.fromPublicKey(unsigned.from).verify(given.value.hash(), signature.signature());
    if (!isOurs) return fail(`it must be signed with the key of ${unsigned.from} only`);
    return xdrOf(given.value) === raw
      ? ok(signedOf(unsigned, given.value))
      : fail('it is not a canonical encoding of a transaction');
  },
};

function signedOf({ reference }: UnsignedTransfer, transaction: Transaction): SignedTransfer {
  return { reference, raw: xdrOf(transaction), transactionId: hashOf(transaction) };
}

class Refusal extends Error {
  override readonly name = 'Refusal';
}

function refuse(why: string): never {
  throw new Refusal(why);
}

function whole(value: unknown, what: string): bigint {
  return (typeof value === 'string' || typeof value === 'number') && NUMBER.test(String(value))
    ? BigInt(value)
    : refuse(`${what} is no number`);
}

/** Library errors may repeat the input. */
function guarded<T>(what: string, make: () => T): Result<T, string> {
  try {
    return ok(make());
  } catch (error) {
    return fail(error instanceof Refusal ? error.message : what);
  }
}
