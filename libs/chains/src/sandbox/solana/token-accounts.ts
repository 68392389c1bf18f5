import { PublicKey } from '@solana/web3.js';

import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../solana/token-programs.js';

export interface AccountState {
  /** Decimal. */
  readonly lamports: string;
  /** Its program. */
  readonly owner: string;
  /** Base64; empty for programs. */
  readonly data: string;
  readonly executable?: true;
}

export interface MintFacts {
  readonly program: string;
  readonly decimals: number;
  /** Token-2022 transfer fee, 1/100 %. */
  readonly feeBasisPoints?: number;
}

export interface TokenHolding {
  readonly mint: string;
  readonly owner: string;
  readonly amount: bigint;
}

const MINT_BYTES = 82;
const ACCOUNT_BYTES = 165;
const ENOUGH_FOR_RENT = '10000000';
const SUPPLY = 2n ** 63n;
/** Token-2022: account type after the longest base layout, then extensions by type and length. */
const IS_MINT = 1;
const IS_ACCOUNT = 2;
const FEE_CONFIG = { type: 1, bytes: 108 } as const;
const FEE_AMOUNT = { type: 2, bytes: 8 } as const;
const INITIALIZED = 1;

/** No mint authority; balances are set directly. */
export function mintAccount({ program, decimals, feeBasisPoints }: MintFacts): AccountState {
  const base = Buffer.alloc(MINT_BYTES);
  base.writeBigUInt64LE(SUPPLY, 36);
  base.writeUInt8(decimals, 44);
  base.writeUInt8(INITIALIZED, 45);
  if (feeBasisPoints === undefined) return state(program, base);
  const config = Buffer.alloc(FEE_CONFIG.bytes);
  // Two authorities, withheld amount, then old and new fee: epoch, maximum, 1/100 %.
  for (const at of [72, 90]) {
    config.writeBigUInt64LE(SUPPLY, at + 8);
    config.writeUInt16LE(feeBasisPoints, at + 16);
  }
  return state(program, extended(base, IS_MINT, FEE_CONFIG.type, config));
}

/** `takesFee`: the mint withholds fees. */
export function tokenAccount({ mint, owner, amount }: TokenHolding, program: string, takesFee: boolean): AccountState {
  const base = Buffer.alloc(ACCOUNT_BYTES);
  new PublicKey(mint).toBuffer().copy(base, 0);
  new PublicKey(owner).toBuffer().copy(base, 32);
  base.writeBigUInt64LE(amount, 64);
  base.writeUInt8(INITIALIZED, 108);
  return state(program, takesFee ? extended(base, IS_ACCOUNT, FEE_AMOUNT.type, Buffer.alloc(FEE_AMOUNT.bytes)) : base);
}

export const withholdsFees = (mint: AccountState): boolean => Buffer.from(mint.data, 'base64').length > ACCOUNT_BYTES;

/** undefined if no token account. */
export function holdingOf(account: AccountState | undefined): TokenHolding | undefined {
  if (account === undefined || (account.owner !== TOKEN_PROGRAM && account.owner !== TOKEN_2022_PROGRAM))
    return undefined;
  const data = Buffer.from(account.data, 'base64');
  const isAccount =
    data.length === ACCOUNT_BYTES ||
    (data.length > ACCOUNT_BYTES && account.owner === TOKEN_2022_PROGRAM && data[ACCOUNT_BYTES] === IS_ACCOUNT);
  if (!isAccount || data[108] === 0) return undefined;
  return {
    mint: new PublicKey(data.subarray(0, 32)).toBase58(),
    owner: new PublicKey(data.subarray(32, 64)).toBase58(),
    amount: data.readBigUInt64LE(64),
  };
}

export function withAmount(account: AccountState, amount: bigint): AccountState {
  const data = Buffer.from(account.data, 'base64');
  data.writeBigUInt64LE(amount, 64);
  return { ...account, data: data.toString('base64') };
}

export function decimalsOf(mint: AccountState | undefined): number {
  return mint === undefined ? 0 : (Buffer.from(mint.data, 'base64')[44] ?? 0);
}

function extended(base: Buffer, kind: number, type: number, extension: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(kind, 0);
  head.writeUInt16LE(type, 1);
  head.writeUInt16LE(extension.length, 3);
  return Buffer.concat([base, Buffer.alloc(ACCOUNT_BYTES - base.length), head, extension]);
}

function state(owner: string, data: Buffer): AccountState {
  return { lamports: ENOUGH_FOR_RENT, owner, data: data.toString('base64') };
}
