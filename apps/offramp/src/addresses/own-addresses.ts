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
  'It must be a JSON array. Each entry is an address, or an object with "address" and "funded" (docs/operators/refund-wallets.md). EVM addresses are in lower case or with their checksum (EIP-55), Solana addresses are owners in base58, Stellar addresses are G… or M….';

/** ReadonlySet<string>: our accounts besides deposit addresses. */
export const OWN_ACCOUNTS = Symbol('OWN_ACCOUNTS');

/** A transfer from our own address is no deposit: we held the value before. */
@Injectable()
export class OwnAddresses {
  public constructor(
    @Inject(AddressStore) private readonly store: Pick<AddressStore, 'oursAmong'>,
    @Inject(OWN_ACCOUNTS) private readonly listed: ReadonlySet<string>,
  ) {}

  /** Keeps the spelling. A muxed address counts as its account. */
  public async among(addresses: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set([
      ...(await this.store.oursAmong(addresses)),
      ...addresses.filter((address) => this.listed.has(accountOf(address))),
    ]);
  }
}

export interface OwnWallets {
  readonly addresses: ReadonlySet<string>;
  /** Net, by asset, in minor units. Missing: not recorded. */
  readonly funded: ReadonlyMap<string, bigint>;
}

/**
 * Treasury, gas and hot wallets. Without an entry our own money could be claimed as a deposit. BootError names the
 * entry's number only.
 */
export async function loadOwnAddresses(path: string | undefined): Promise<ReadonlySet<string>> {
  return (await loadOwnWallets(path)).addresses;
}

/** With refund wallets and Stellar's deposit account. */
export async function loadOwnAccounts(
  { ownAddressesFile, stellarAccount }: Pick<ChainSettings, 'ownAddressesFile' | 'stellarAccount'>,
  wallets: RefundWallets,
): Promise<ReadonlySet<string>> {
  const unlisted = [...wallets.values()].map(({ address }) => address);
  if (stellarAccount !== null) unlisted.push(stellarAccount);
  return new Set([...(await loadOwnAddresses(ownAddressesFile)), ...unlisted.map(accountOf)]);
}

export async function loadOwnWallets(path: string | undefined): Promise<OwnWallets> {
  if (path === undefined) return { addresses: new Set(), funded: new Map() };
  const entries = await readAddressList(VARIABLE, path);
  if (!Array.isArray(entries)) throw new BootError(`${VARIABLE} ${path} is not a JSON array.`, ADVICE);
  const read = await Promise.all(
    entries.map((entry: unknown, index) => ownEntry(entry, `${VARIABLE} ${path}: entry ${index + 1}`)),
  );
  return { addresses: new Set(read.map(({ address }) => address)), funded: fundedOf(read) };
}

/** Minor units by asset. */
interface OwnEntry {
  readonly place: string;
  readonly address: string;
  readonly funded: readonly (readonly [asset: string, minor: bigint])[];
}

const withFunds = z.strictObject({ address: z.unknown(), funded: z.record(z.string(), z.string()) });

async function ownEntry(entry: unknown, place: string): Promise<OwnEntry> {
  if (typeof entry === 'string') return { place, address: (await ownAddress(entry, place)).address, funded: [] };
  const parsed = withFunds.safeParse(entry);
  if (!parsed.success)
    throw new BootError(`${place} must be a string, or an object with "address" and "funded".`, ADVICE);
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
    throw new BootError(`${place}: "funded" names a token that no chain of this address accepts.`, ADVICE);
  const minor = parseDecimal(amount, token.decimals);
  if (!minor.ok) throw new BootError(`${place}: an amount ${minor.error}.`, ADVICE);
  return minor.value;
}

/** Throws on a repeated address and asset. */
function fundedOf(entries: readonly OwnEntry[]): ReadonlyMap<string, bigint> {
  const [sums, said] = [new Map<string, bigint>(), new Set<string>()];
  for (const { place, address, funded } of entries) {
    for (const [asset, minor] of funded) {
      if (said.has(`${address} ${asset}`))
        throw new BootError(`${place} gives "funded" for an address a second time.`, ADVICE);
      said.add(`${address} ${asset}`);
      sums.set(asset, (sums.get(asset) ?? 0n) + minor);
    }
  }
  return sums;
}

export function accountOf(address: string): string {
  const stellar = readStellarAddress(address);
  return stellar.ok ? stellar.value.account : address;
}
