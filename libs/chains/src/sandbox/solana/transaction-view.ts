import { encodeBase58 } from '../../solana/base58.js';
import type { Included } from './sandbox-ledger.js';
import { allKeys, takeApart, type WireTransaction } from './wire-transaction.js';

export type Encoding = 'json' | 'jsonParsed' | 'base64' | 'base58';
type Json = Readonly<Record<string, unknown>>;

/** As getTransaction. */
export function viewOf(included: Included, encoding: Encoding): { readonly transaction: unknown; readonly meta: Json } {
  const {
    raw,
    err,
    lamportsPaid,
    logs,
    inner,
    computeUnits,
    loaded,
    preBalances,
    postBalances,
    preTokenBalances,
    postTokenBalances,
  } = included;
  const isParsed = encoding === 'jsonParsed';
  const wire = takeApart(Buffer.from(raw, 'base64'));
  const meta = {
    err,
    status: err === null ? { Ok: null } : { Err: err },
    fee: lamportsPaid,
    preBalances,
    postBalances,
    innerInstructions: isParsed
      ? inner.map(({ index, instructions }) => ({
          index,
          instructions: instructions.map((one) => parsed(one, allKeys(wire, loaded))),
        }))
      : inner,
    logMessages: logs,
    preTokenBalances,
    postTokenBalances,
    rewards: [],
    ...(!isParsed && { loadedAddresses: loaded }),
    computeUnitsConsumed: computeUnits,
    costUnits: computeUnits,
  };
  if (encoding === 'base64') return { transaction: [raw, 'base64'], meta };
  if (encoding === 'base58') return { transaction: [encodeBase58(wire.raw), 'base58'], meta };
  return {
    transaction: { signatures: wire.signatures, message: isParsed ? parsedMessage(wire, included) : message(wire) },
    meta,
  };
}

function message(wire: WireTransaction): Json {
  const { message: told, version } = wire;
  const config = version === 1 ? (told as { transactionConfig?: unknown }).transactionConfig : undefined;
  return {
    header: told.header,
    accountKeys: told.staticAccountKeys.map((key) => key.toBase58()),
    recentBlockhash: told.recentBlockhash,
    instructions: told.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
      programIdIndex,
      accounts: accountKeyIndexes,
      data: encodeBase58(data),
      stackHeight: 1,
    })),
    ...(version === 0 && { addressTableLookups: lookups(wire) }),
    ...(config !== undefined && { transactionConfig: config }),
  };
}

/** No parser is known here, so instructions stay unparsed. */
function parsedMessage(wire: WireTransaction, { loaded }: Included): Json {
  const { message: told, version } = wire;
  const keys = allKeys(wire, loaded);
  const fixed = told.staticAccountKeys.length;
  return {
    accountKeys: keys.map((pubkey, index) => ({
      pubkey,
      signer: told.isAccountSigner(index),
      writable: index < fixed ? told.isAccountWritable(index) : index < fixed + loaded.writable.length,
      source: index < fixed ? 'transaction' : 'lookupTable',
    })),
    recentBlockhash: told.recentBlockhash,
    instructions: told.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) =>
      parsed({ programIdIndex, accounts: accountKeyIndexes, data: encodeBase58(data), stackHeight: 1 }, keys),
    ),
    ...(version === 0 && { addressTableLookups: lookups(wire) }),
  };
}

function parsed(
  {
    programIdIndex,
    accounts,
    data,
    stackHeight,
  }: { programIdIndex: number; accounts: readonly number[]; data: string; stackHeight: number },
  keys: readonly string[],
): Json {
  return { programId: keys[programIdIndex], accounts: accounts.map((index) => keys[index]), data, stackHeight };
}

function lookups({ message: told }: WireTransaction): unknown {
  return told.addressTableLookups.map(({ accountKey, writableIndexes, readonlyIndexes }) => ({
    accountKey: accountKey.toBase58(),
    writableIndexes,
    readonlyIndexes,
  }));
}
