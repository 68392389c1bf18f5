import { type Asset, MuxedAccount } from '@stellar/stellar-sdk';

/** Minor units. */
export interface TrustLine {
  readonly balance: bigint;
  readonly limit: bigint;
}

export interface StellarAccount {
  readonly id: string;
  readonly sequence: bigint;
  readonly native: bigint;
  /** By `CODE:ISSUER`. */
  readonly lines: Readonly<Record<string, TrustLine>>;
}

export const NATIVE = 'native';
export const MOST = 2n ** 63n - 1n;
const UNIT = 10_000_000n;
const AMOUNT = /^(\d{1,12})(?:\.(\d{1,7}))?$/;

/** `native`, or `CODE:ISSUER`. */
export const assetName = (asset: Asset): string =>
  asset.isNative() ? NATIVE : `${asset.getCode()}:${asset.getIssuer()}`;

export const issuerOf = (asset: string): string => asset.slice(asset.indexOf(':') + 1);

/** Minor units; undefined if invalid. */
export function minorOf(amount: string): bigint | undefined {
  const [, whole, part = ''] = AMOUNT.exec(amount) ?? [];
  if (whole === undefined) return undefined;
  const minor = BigInt(whole) * UNIT + BigInt(part.padEnd(7, '0'));
  return minor <= MOST ? minor : undefined;
}

/** Always seven decimals. */
export function amountText(minor: bigint): string {
  return `${String(minor / UNIT)}.${String(minor % UNIT).padStart(7, '0')}`;
}

export interface Party {
  /** G…, or C… (contract). */
  readonly account: string;
  /** M… and its number. */
  readonly muxed?: string;
  readonly muxedId?: string;
}

export function partyOf(address: string): Party {
  if (!address.startsWith('M')) return { account: address };
  const muxed = MuxedAccount.fromAddress(address, '0');
  return { account: muxed.baseAccount().accountId(), muxed: address, muxedId: muxed.id() };
}

/** Keeps a transaction's changes only if it succeeds. */
export class AccountBook {
  private readonly changed = new Map<string, StellarAccount>();

  constructor(private readonly read: (id: string) => StellarAccount | undefined) {}

  find(id: string): StellarAccount | undefined {
    return this.changed.get(id) ?? this.read(id);
  }

  put(account: StellarAccount): void {
    this.changed.set(account.id, account);
  }

  get changes(): readonly StellarAccount[] {
    return [...this.changed.values()];
  }
}

export const emptyAccount = (id: string, sequence: bigint): StellarAccount => ({ id, sequence, native: 0n, lines: {} });

/** undefined: no trustline. Issuers have an unlimited balance. */
export function balanceOf(account: StellarAccount, asset: string): bigint | undefined {
  if (asset === NATIVE) return account.native;
  return issuerOf(asset) === account.id ? MOST : account.lines[asset]?.balance;
}

export function withBalance(account: StellarAccount, asset: string, balance: bigint): StellarAccount {
  if (asset === NATIVE) return { ...account, native: balance };
  const line = account.lines[asset];
  return line === undefined ? account : { ...account, lines: { ...account.lines, [asset]: { ...line, balance } } };
}
