import { createPublicKey, sign as signBytes, verify as verifyBytes, type KeyObject } from 'node:crypto';

import { CHAINS, fail, isSolanaAddress, ok, type Result, type SolanaChain } from '@vuka/domain';
import { ComputeBudgetProgram, PublicKey, Transaction } from '@solana/web3.js';

import { privateKeyOf } from '../ed25519-key.js';
import type { SignedTransfer, TransferSigner, UnsignedTransfer } from '../outgoing.js';

import { decodeBase58, encodeBase58 } from './base58.js';
import { programOf, transferInstructions } from './token-programs.js';

/** Lamports for one signature. */
const SIGNATURE_FEE = 5_000n;
const MICRO = 1_000_000n;
const SEED_BYTES = 32;
const SECRET_BYTES = 64;
const SIGNATURE_BYTES = 64;
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const U64 = /^(0|[1-9]\d{0,18})$/;

type Readable = Omit<UnsignedTransfer, 'payload' | 'mostFeeMinor' | 'expiresAt'>;

/** Throws on invalid fields. */
export function meantMessage({
  chain: name,
  token,
  symbol,
  decimals,
  from,
  to,
  amountMinor,
  place,
  terms,
}: Readable): Buffer {
  const chain =
    CHAINS.find((one): one is SolanaChain => one.name === name && one.family === 'solana') ??
    refuse(`${name} is no chain of Solana in the registry`);
  const listed =
    chain.tokens.find(({ address }) => address === token) ?? refuse(`${token} is no listed token of ${name}`);
  if (listed.symbol !== symbol || listed.decimals !== decimals)
    refuse(
      `${token} is ${listed.symbol} with ${String(listed.decimals)} decimals, not ${symbol} with ${String(decimals)}`,
    );
  const blockhash = terms['blockhash'];
  if (!isSolanaAddress(from) || !isSolanaAddress(to) || typeof blockhash !== 'string' || !isSolanaAddress(blockhash))
    return refuse('an address or the blockhash is none');
  if (place !== null) refuse('transfers there have no place');
  const transaction = new Transaction({ feePayer: new PublicKey(from), recentBlockhash: blockhash });
  transaction.add(
    ComputeBudgetProgram.setComputeUnitLimit({
      units: Number(whole(terms['compute_unit_limit'], 'compute_unit_limit')),
    }),
    ComputeBudgetProgram.setComputeUnitPrice({
      microLamports: whole(terms['compute_unit_price'], 'compute_unit_price'),
    }),
    // Without rent in its cost no account is made: an owner could close it, and we would pay again.
    ...transferInstructions(
      { mint: token, program: programOf(listed), decimals, from, to, amountMinor: whole(amountMinor, 'amountMinor') },
      from,
      terms['account_rent'] !== '0',
    ),
  );
  return transaction.serializeMessage();
}

/** Lamports: signature, priority fee, rent. */
export function mostFeeOf({ terms }: Pick<UnsignedTransfer, 'terms'>): bigint {
  const bid =
    whole(terms['compute_unit_limit'], 'compute_unit_limit') * whole(terms['compute_unit_price'], 'compute_unit_price');
  return SIGNATURE_FEE + (bid + MICRO - 1n) / MICRO + whole(terms['account_rent'], 'account_rent');
}

export const SOLANA_TRANSFER_SIGNER: TransferSigner = {
  addressOf(secret) {
    const key = keyOf(secret);
    return key.ok ? ok(key.value.address) : key;
  },

  sign(unsigned, secret) {
    const key = keyOf(secret);
    if (!key.ok) return key;
    if (key.value.address !== unsigned.from)
      return fail(`the key belongs to ${key.value.address}, but ${unsigned.from} must pay`);
    const message = toSign(unsigned);
    return message.ok ? ok(signed(unsigned, signBytes(null, message.value, key.value.key), message.value)) : message;
  },

  verify(unsigned, raw) {
    const message = toSign(unsigned);
    if (!message.ok) return message;
    const bytes = Buffer.from(raw, 'base64');
    // Signature count (one byte), signature, message; one encoding only.
    if (bytes.toString('base64') !== raw || bytes[0] !== 1 || bytes.length <= SIGNATURE_BYTES)
      return fail('it is not a signed transaction');
    const signature = bytes.subarray(1, 1 + SIGNATURE_BYTES);
    if (!bytes.subarray(1 + SIGNATURE_BYTES).equals(message.value))
      return fail('the signed transaction differs from the request');
    const key = createPublicKey({
      key: Buffer.concat([SPKI_HEAD, new PublicKey(unsigned.from).toBuffer()]),
      format: 'der',
      type: 'spki',
    });
    return verifyBytes(null, message.value, key, signature)
      ? ok(signed(unsigned, signature, message.value))
      : fail(`it is not signed with the key of ${unsigned.from}`);
  },
};

function signed({ reference }: UnsignedTransfer, signature: Buffer, message: Buffer): SignedTransfer {
  return {
    reference,
    raw: Buffer.concat([Buffer.from([1]), signature, message]).toString('base64'),
    transactionId: encodeBase58(signature),
  };
}

function toSign(unsigned: UnsignedTransfer): Result<Buffer, string> {
  try {
    const message = meantMessage(unsigned);
    if (unsigned.mostFeeMinor !== String(mostFeeOf(unsigned)))
      return fail('its fee differs from the fee that it states');
    return message.toString('base64') === unsigned.payload
      ? ok(message)
      : fail('the bytes to sign differ from the stated transfer');
  } catch (error) {
    return fail(error instanceof Refusal ? error.message : 'it is not a transfer');
  }
}

/** Seed and public key must match. */
function keyOf(secret: string): Result<{ readonly key: KeyObject; readonly address: string }, string> {
  const bytes = decodeBase58(secret);
  if (bytes?.length !== SECRET_BYTES) return fail('the key must be 64 bytes in base58');
  const key = privateKeyOf(bytes.subarray(0, SEED_BYTES));
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(SPKI_HEAD.length);
  return publicKey.equals(bytes.subarray(SEED_BYTES))
    ? ok({ key, address: encodeBase58(publicKey) })
    : fail('the key is not valid: its two halves do not belong together');
}

class Refusal extends Error {
  override readonly name = 'Refusal';
}

function refuse(why: string): never {
  throw new Refusal(why);
}

function whole(value: unknown, what: string): bigint {
  return (typeof value === 'string' || typeof value === 'number') && U64.test(String(value))
    ? BigInt(value)
    : refuse(`${what} is no number`);
}
