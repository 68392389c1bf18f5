import { createHash } from 'node:crypto';

import { evmAddresses, muxedAddress, readStellarAddress } from '@vuka/chains';
import type { ChainSettings } from '@vuka/config';
import { chainNamed, isSolanaAddress, type ChainFamily } from '@vuka/domain';
import { BootError } from '@vuka/runtime';

import { readAddressList } from './address-list.js';
import { SANDBOX_XPUB } from './sandbox-xpub.js';

/** Holds public keys only. */
export interface AddressSource {
  readonly family: ChainFamily;
  readonly variable: string;
  /** Identifies the key without revealing it. */
  readonly keyId: string;
  /** null: unlimited. */
  readonly size: number | null;
  /** Never changes. undefined: beyond the end. */
  addressAt(index: number): string | undefined;
  /** For unlimited sources only the database knows. */
  holds(account: string): boolean;
}

export type AddressSources = ReadonlyMap<ChainFamily, AddressSource>;

/** AddressSources. */
export const ADDRESS_SOURCES = Symbol('ADDRESS_SOURCES');

/** A derivation costs about a millisecond. */
const MOST_REMEMBERED = 10_000;
/** Some wallets keep ids as JavaScript numbers. */
const ID_BITS = 53n;

/** Throws BootError if a served chain has none: its deposits would not be found. */
export async function openAddressSources(
  settings: Pick<ChainSettings, 'depositXpub' | 'solanaAddressesFile' | 'stellarAccount'>,
  served: ReadonlySet<string>,
): Promise<AddressSources> {
  const { depositXpub, solanaAddressesFile, stellarAccount } = settings;
  const needed = new Set([...served].map((name) => chainNamed(name)?.family));
  const sources: AddressSource[] = [];
  if (depositXpub !== null || needed.has('evm')) sources.push(await evmSource(depositXpub ?? SANDBOX_XPUB));
  if (solanaAddressesFile !== undefined) sources.push(await solanaSource(solanaAddressesFile));
  else if (needed.has('solana')) missing('SOLANA_ADDRESSES_FILE', 'Solana');
  if (stellarAccount !== null) sources.push(stellarSource(stellarAccount));
  else if (needed.has('stellar')) missing('STELLAR_ACCOUNT', 'Stellar');
  return new Map(sources.map((source) => [source.family, source]));
}

function missing(variable: string, chain: string): never {
  throw new BootError(
    `${variable} must be set: ${chain} is served.`,
    'Make it with npm run keys, as docs/operators/deposit-addresses.md says.',
  );
}

/** BIP-32. */
export async function evmSource(xpub: string): Promise<AddressSource> {
  const variable = 'DEPOSIT_XPUB';
  const { assertXpub, deriveEvmAddress } = await evmAddresses();
  try {
    assertXpub(xpub);
  } catch (error) {
    throw new BootError(
      `${variable} ${(error as Error).message}`,
      'Make one with npm run keys, as docs/operators/deposit-addresses.md says.',
      { cause: error },
    );
  }
  const derived = new Map<number, string>();
  const addressAt = (index: number): string => {
    const known = derived.get(index);
    if (known !== undefined) return known;
    const address = deriveEvmAddress(xpub, index);
    if (derived.size >= MOST_REMEMBERED) derived.clear();
    derived.set(index, address);
    return address;
  };
  return { family: 'evm', variable, keyId: idOf(xpub), size: null, addressAt, holds: () => false };
}

/** Identified by its first key, because the file may grow. */
async function solanaSource(path: string): Promise<AddressSource> {
  const variable = 'SOLANA_ADDRESSES_FILE';
  const advice =
    'It must be a JSON array of different public keys in base58, as npm run keys writes it. Entries may only be added at its end.';
  const listed = await readAddressList(variable, path);
  if (!Array.isArray(listed) || listed.length === 0)
    throw new BootError(`${variable} ${path} is not a JSON array of addresses.`, advice);
  const wrong = listed.findIndex((entry) => typeof entry !== 'string' || !isSolanaAddress(entry));
  if (wrong >= 0)
    throw new BootError(`${variable} ${path}: entry ${wrong + 1} is not a public key of 32 bytes in base58.`, advice);
  const addresses = listed as readonly string[];
  const all = new Set(addresses);
  if (all.size !== addresses.length) throw new BootError(`${variable} ${path} has an address twice.`, advice);
  return {
    family: 'solana',
    variable,
    keyId: idOf(addresses[0] ?? ''),
    size: addresses.length,
    addressAt: (index) => addresses[index],
    holds: (account) => all.has(account),
  };
}

/** Ids are far apart, so a mistyped one belongs to nobody. */
export function stellarSource(account: string): AddressSource {
  const variable = 'STELLAR_ACCOUNT';
  const read = readStellarAddress(account);
  if (!read.ok || read.value.id !== null)
    throw new BootError(
      `${variable} must be an account of Stellar (G…), without a typing error.`,
      'Make one with npm run keys, as docs/operators/deposit-addresses.md says.',
    );
  return {
    family: 'stellar',
    variable,
    keyId: idOf(account),
    size: null,
    addressAt: (index) => muxedAddress(account, numberAt(account, index)),
    holds: (other) => other === account,
  };
}

function numberAt(account: string, index: number): bigint {
  const digest = createHash('sha256').update(`stellar deposit ${account} ${index}`).digest();
  return digest.readBigUInt64BE() >> (64n - ID_BITS);
}

const idOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
