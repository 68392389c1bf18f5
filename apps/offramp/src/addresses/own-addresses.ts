import { Inject, Injectable } from '@nestjs/common';
import { addressFamily, canonicalAddress, readStellarAddress } from '@vuka/chains';
import type { ChainSettings } from '@vuka/config';
import { acceptedTokens, chainNamed, parseDecimal, tokenAsset, type ChainFamily } from '@vuka/domain';
import { BootError } from '@vuka/runtime';
import { z } from 'zod';

import { readAddressList } from './address-list.js';
import { AddressStore } from './address.store.js';
import type { RefundWallets } from './refund-wallets.js';

const VARIABLE = 'OWN_ADDRESSES_FILE';
const ADVICE =
  'A JSON array of addresses, each a text, or an object with "address" and "funded" (docs/operators/refund-wallets.md): of EVM chains in lower case or as its checksum has it (EIP-55), of Solana its owner in base58, of Stellar G… or M….';

/** ReadonlySet<string>: accounts of ours beside those that were given to partners. */
export const OWN_ACCOUNTS = Symbol('OWN_ACCOUNTS');

/**
 * Addresses that are ours: those that were given to partners, and those that are listed. What they send is no deposit: it is value that
 * we held before.
 */
@Injectable()
export class OwnAddresses {
  /** `listed`: as loadOwnAccounts gives them. */
  public constructor(
    @Inject(AddressStore) private readonly store: Pick<AddressStore, 'oursAmong'>,
    @Inject(OWN_ACCOUNTS) private readonly listed: ReadonlySet<string>,
  ) {}

  /** Those of the addresses that are ours, spelt as they were given. On Stellar a muxed address is its account. */
  public async among(addresses: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set([
      ...(await this.store.oursAmong(addresses)),
      ...addresses.filter((address) => this.listed.has(accountOf(address))),
    ]);
  }
}

/** OWN_ADDRESSES_FILE as it was read. */
export interface OwnWallets {
  readonly addresses: ReadonlySet<string>;
  /** What people funded our addresses with, less what they took out again: by asset, in minor units. An asset that is not there: nobody wrote it down. */
  readonly funded: ReadonlyMap<string, bigint>;
}

/**
 * OWN_ADDRESSES_FILE: treasury, gas wallets, hot wallets, of any family; in the spelling of their chains. Throws BootError, which tells which
 * entry is wrong and not what it is: without one of them our own money could be claimed as a deposit.
 */
export async function loadOwnAddresses(path: string | undefined): Promise<ReadonlySet<string>> {
  return (await loadOwnWallets(path)).addresses;
}

/** Those, the refund wallets, and the account that Stellar's deposits come to. */
export async function loadOwnAccounts(
  { ownAddressesFile, stellarAccount }: Pick<ChainSettings, 'ownAddressesFile' | 'stellarAccount'>,
  wallets: RefundWallets,
): Promise<ReadonlySet<string>> {
  const unlisted = [...wallets.values()].map(({ address }) => address);
  if (stellarAccount !== null) unlisted.push(stellarAccount);
  return new Set([...(await loadOwnAddresses(ownAddressesFile)), ...unlisted.map(accountOf)]);
}

/** The same with what people funded them with. */
export async function loadOwnWallets(path: string | undefined): Promise<OwnWallets> {
  if (path === undefined) return { addresses: new Set(), funded: new Map() };
  const entries = await readAddressList(VARIABLE, path);
  if (!Array.isArray(entries)) throw new BootError(`${VARIABLE} ${path} is no JSON array.`, ADVICE);
  const read = await Promise.all(
    entries.map((entry: unknown, index) => ownEntry(entry, `${VARIABLE} ${path}: entry ${index + 1}`)),
  );
  return { addresses: new Set(read.map(({ address }) => address)), funded: fundedOf(read) };
}

/** An entry, and what it says that people funded it with: by asset, in minor units. */
interface OwnEntry {
  readonly place: string;
  readonly address: string;
  readonly funded: readonly (readonly [asset: string, minor: bigint])[];
}

const withFunds = z.strictObject({ address: z.unknown(), funded: z.record(z.string(), z.string()) });

async function ownEntry(entry: unknown, place: string): Promise<OwnEntry> {
  if (typeof entry === 'string') return { place, address: (await ownAddress(entry, place)).address, funded: [] };
  const parsed = withFunds.safeParse(entry);
  if (!parsed.success) throw new BootError(`${place} must be a text, or an object of "address" and "funded".`, ADVICE);
  const { address, family } = await ownAddress(parsed.data.address, place);
  return {
    place,
    address,
    funded: Object.entries(parsed.data.funded).map(
      ([asset, amount]) => [asset, minorOf(asset, amount, { family, place })] as const,
    ),
  };
}

async function ownAddress(
  entry: unknown,
  place: string,
): Promise<{ readonly address: string; readonly family: ChainFamily }> {
  if (typeof entry !== 'string') throw new BootError(`${place} must be a text.`, ADVICE);
  const family = addressFamily(entry);
  if (family === null) throw new BootError(`${place} must be an address.`, ADVICE);
  const address = await canonicalAddress(family, entry);
  if (!address.ok) throw new BootError(`${place} ${address.error}.`, ADVICE);
  return { address: accountOf(address.value), family };
}

function minorOf(
  asset: string,
  amount: string,
  { family, place }: { readonly family: ChainFamily; readonly place: string },
): bigint {
  const chain = chainNamed(asset.slice(asset.indexOf('@') + 1));
  const token = chain && acceptedTokens(chain).find((one) => tokenAsset(chain, one) === asset);
  if (token === undefined || chain?.family !== family)
    throw new BootError(
      `${place} is funded with something that is no accepted token of a chain of its address.`,
      ADVICE,
    );
  const minor = parseDecimal(amount, token.decimals);
  if (!minor.ok) throw new BootError(`${place}: an amount ${minor.error}.`, ADVICE);
  return minor.value;
}

/** By asset, of all addresses together. What one address was funded with is said once. */
function fundedOf(entries: readonly OwnEntry[]): ReadonlyMap<string, bigint> {
  const [sums, said] = [new Map<string, bigint>(), new Set<string>()];
  for (const { place, address, funded } of entries) {
    for (const [asset, minor] of funded) {
      if (said.has(`${address} ${asset}`))
        throw new BootError(`${place} says again what its address was funded with.`, ADVICE);
      said.add(`${address} ${asset}`);
      sums.set(asset, (sums.get(asset) ?? 0n) + minor);
    }
  }
  return sums;
}

/** All muxed addresses of an account are the account. */
export function accountOf(address: string): string {
  const stellar = readStellarAddress(address);
  return stellar.ok ? stellar.value.account : address;
}
