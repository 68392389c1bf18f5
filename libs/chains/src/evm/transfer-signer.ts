import { CHAINS, fail, ok, tokenAt, type EvmChain, type Result } from '@vuka/domain';
import { getAddress, Interface, Transaction, Wallet } from 'ethers';

import type { SignedTransfer, TransferSigner, UnsignedTransfer } from '../outgoing.js';

const TOKEN = new Interface([
  'function transfer(address to, uint256 value)',
  'function balanceOf(address holder) view returns (uint256)',
]);
const SECRET = /^(0x)?[0-9a-fA-F]{64}$/;
const NUMBER = /^(0|[1-9]\d{0,77})$/;
const LEGACY = 0;
const DYNAMIC_FEE = 2;

export const transferData = (to: string, amountMinor: bigint): string =>
  TOKEN.encodeFunctionData('transfer', [to, amountMinor]);
export const balanceData = (holder: string): string => TOKEN.encodeFunctionData('balanceOf', [holder]);

/** EIP-1559, or legacy if the terms have a gas price. Throws on invalid fields. */
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
    CHAINS.find((one): one is EvmChain => one.name === name && one.family === 'evm') ??
    refuse(`${name} is no EVM chain of the registry`);
  const listed = tokenAt(chain, token) ?? refuse(`${token} is no listed token of ${name}`);
  if (listed.symbol !== symbol || listed.decimals !== decimals)
    refuse(
      `${token} is ${listed.symbol} with ${String(listed.decimals)} decimals, not ${symbol} with ${String(decimals)}`,
    );
  if (getAddress(from) !== from || getAddress(to) !== to) refuse('an address is not spelt as its checksum has it');
  const gasPrice = terms['gas_price'] ?? null;
  return Transaction.from({
    type: gasPrice === null ? DYNAMIC_FEE : LEGACY,
    chainId: chain.chainId,
    nonce: Number(whole(place, 'place')),
    to: listed.address,
    value: 0n,
    data: transferData(to, whole(amountMinor, 'amountMinor')),
    gasLimit: whole(terms['gas_limit'], 'gas_limit'),
    ...(gasPrice === null
      ? {
          maxFeePerGas: whole(terms['max_fee_per_gas'], 'max_fee_per_gas'),
          maxPriorityFeePerGas: whole(terms['max_priority_fee_per_gas'], 'max_priority_fee_per_gas'),
        }
      : { gasPrice: whole(gasPrice, 'gas_price') }),
  });
}

/** Upper bound, wei. */
export function mostFeeOf({ gasLimit, maxFeePerGas, gasPrice }: Transaction): bigint {
  return gasLimit * (maxFeePerGas ?? gasPrice ?? 0n);
}

export const EVM_TRANSFER_SIGNER: TransferSigner = {
  addressOf: (secret) =>
    SECRET.test(secret)
      ? guarded('the key is not valid', () => new Wallet(secret).address)
      : fail('the key must be 32 bytes in hexadecimal digits'),

  sign(unsigned, secret) {
    const address = EVM_TRANSFER_SIGNER.addressOf(secret);
    if (!address.ok) return address;
    if (address.value !== unsigned.from)
      return fail(`the key belongs to ${address.value}, but ${unsigned.from} must pay`);
    const transaction = toSign(unsigned);
    if (!transaction.ok) return transaction;
    transaction.value.signature = new Wallet(secret).signingKey.sign(transaction.value.unsignedHash);
    return signed(unsigned, transaction.value);
  },

  verify(unsigned, raw) {
    const meant = toSign(unsigned);
    if (!meant.ok) return meant;
    const given = guarded('it is not a signed transaction', () => Transaction.from(raw));
    if (!given.ok) return given;
    if (given.value.signature === null) return fail('it is not signed');
    if (given.value.unsignedSerialized !== unsigned.payload)
      return fail('the signed transaction differs from the request');
    if (given.value.from !== unsigned.from)
      return fail(`it is signed with the key of ${String(given.value.from)}, but ${unsigned.from} must pay`);
    // The id is the hash of these bytes, so only one encoding is accepted.
    return given.value.serialized === raw
      ? signed(unsigned, given.value)
      : fail('it is not a canonical encoding of a transaction');
  },
};

/** Fails unless the rebuilt transaction equals the payload. */
function toSign(unsigned: UnsignedTransfer): Result<Transaction, string> {
  const meant = guarded('it is not a transfer', () => meantTransaction(unsigned));
  if (!meant.ok) return meant;
  if (unsigned.mostFeeMinor !== String(mostFeeOf(meant.value)))
    return fail('its fee differs from the fee that it states');
  return meant.value.unsignedSerialized === unsigned.payload
    ? meant
    : fail('the bytes to sign differ from the stated transfer');
}

function signed({ reference }: UnsignedTransfer, { serialized, hash }: Transaction): Result<SignedTransfer, string> {
  return hash === null ? fail('it is not signed') : ok({ reference, raw: serialized, transactionId: hash });
}

class Refusal extends Error {
  override readonly name = 'Refusal';
}

function refuse(why: string): never {
  throw new Refusal(why);
}

function whole(value: unknown, what: string): bigint {
  return typeof value === 'string' || typeof value === 'number'
    ? NUMBER.test(String(value))
      ? BigInt(value)
      : refuse(`${what} is no number`)
    : refuse(`${what} is missing`);
}

/** Library errors may repeat the input. */
function guarded<T>(what: string, make: () => T): Result<T, string> {
  try {
    return ok(make());
  } catch (error) {
    return fail(error instanceof Refusal ? error.message : what);
  }
}
