import { readFileSync } from 'node:fs';

import { AbiCoder, encodeBytes32String, Interface, keccak256, toBeHex, type InterfaceAbi } from 'ethers';

interface Artifact {
  readonly abi: InterfaceAbi;
  readonly deployedBytecode: string;
}

export interface SandboxTokenFacts {
  readonly address: string;
  readonly decimals: number;
  /** At most 31 bytes. */
  readonly symbol: string;
}

/** Storage of contracts/sandbox-token.sol. */
const BALANCES = 0;
const DECIMALS = 3;
const SYMBOL = 4;
const LONGEST_SYMBOL_BYTES = 31;

let read: { readonly contract: Interface; readonly code: string } | undefined;

/** Loaded lazily, so never outside a sandbox. */
export function sandboxToken(): { readonly contract: Interface; readonly code: string } {
  if (read !== undefined) return read;
  const file = new URL('../../contracts/sandbox-token.json', import.meta.url);
  const { SandboxToken: artifact } = JSON.parse(readFileSync(file, 'utf8')) as { SandboxToken: Artifact };
  read = { contract: new Interface(artifact.abi), code: artifact.deployedBytecode };
  return read;
}

/** 32-byte values by slot. */
export function tokenStorage({ decimals, symbol }: SandboxTokenFacts): [slot: string, value: string][] {
  return [
    [word(DECIMALS), word(decimals)],
    [word(SYMBOL), shortText(symbol)],
  ];
}

export function balanceSlot(holder: string): string {
  return keccak256(AbiCoder.defaultAbiCoder().encode(['address', 'uint256'], [holder, BALANCES]));
}

export const word = (value: number | bigint): string => toBeHex(value, 32);

/** Solidity's short string: the text, and twice its length in the last byte. */
function shortText(text: string): string {
  let told = text;
  while (Buffer.byteLength(told) > LONGEST_SYMBOL_BYTES) told = [...told].slice(0, -1).join('');
  return `${encodeBytes32String(told).slice(0, -2)}${toBeHex(2 * Buffer.byteLength(told), 1).slice(2)}`;
}
