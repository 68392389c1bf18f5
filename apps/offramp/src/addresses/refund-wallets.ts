import { readFile } from 'node:fs/promises';

import { canonicalAddress } from '@vuka/chains';
import type { ChainFamily } from '@vuka/domain';
import { BootError } from '@vuka/runtime';
import { z } from 'zod';

/** `secret`: only in a sandbox; in live no service holds a key. */
export interface RefundWallet {
  readonly address: string;
  readonly secret: string | null;
}

export type RefundWallets = ReadonlyMap<ChainFamily, RefundWallet>;

/** RefundWallets. */
export const REFUND_WALLETS = Symbol('REFUND_WALLETS');

export interface RefundWalletSettings {
  readonly refundWallets?: Partial<Readonly<Record<ChainFamily, string>>>;
  /** Never in live. */
  readonly sandboxRefundKeysFile?: string;
}

const FAMILIES = ['evm', 'solana', 'stellar'] as const satisfies readonly ChainFamily[];
const wallet = z.object({ address: z.string().min(1), secret: z.string().min(1) });
const keysFile = z.object({ evm: wallet.optional(), solana: wallet.optional(), stellar: wallet.optional() });
const ADVICE =
  'Remove it and start again. The sandbox then makes new keys, and the money in the old sandbox wallets is lost.';

/** Throws BootError, which never shows the content; also for such a file in live. */
export async function loadRefundWallets(
  { refundWallets = {}, sandboxRefundKeysFile }: RefundWalletSettings,
  env: 'sandbox' | 'live',
): Promise<RefundWallets> {
  const wallets = new Map<ChainFamily, RefundWallet>();
  if (sandboxRefundKeysFile !== undefined) {
    if (env === 'live')
      throw new BootError(
        'SANDBOX_REFUND_KEYS_FILE must be left out when VUKA_ENV is live.',
        'In live, refunds are signed offline. Set REFUND_WALLET_EVM, REFUND_WALLET_SOLANA and REFUND_WALLET_STELLAR to the wallets.',
      );
    const keys = await readKeys(sandboxRefundKeysFile);
    for (const family of FAMILIES) set(wallets, family, keys[family]);
  }
  // A configured wallet's key is elsewhere, in a sandbox too.
  for (const family of FAMILIES) set(wallets, family, await named(family, refundWallets[family]));
  return wallets;
}

/** null: somebody else signs. */
export function keyOf(wallet: RefundWallet | undefined, version: { readonly wallet: string }): string | null {
  return wallet?.address === version.wallet ? wallet.secret : null;
}

async function named(family: ChainFamily, given: string | undefined): Promise<RefundWallet | undefined> {
  if (given === undefined) return undefined;
  const address = await canonicalAddress(family, given);
  if (!address.ok)
    throw new BootError(
      `REFUND_WALLET_${family.toUpperCase()} ${address.error}.`,
      'It is the public address of the account that refunds are paid from.',
    );
  return { address: address.value, secret: null };
}

function set(wallets: Map<ChainFamily, RefundWallet>, family: ChainFamily, one: RefundWallet | undefined): void {
  if (one !== undefined) wallets.set(family, one);
}

async function readKeys(path: string): Promise<z.infer<typeof keysFile>> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new BootError(
      `SANDBOX_REFUND_KEYS_FILE ${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`,
      ADVICE,
    );
  });
  const parsed = keysFile.safeParse(jsonOf(text));
  if (!parsed.success) throw new BootError(`SANDBOX_REFUND_KEYS_FILE ${path} is not a file of keys.`, ADVICE);
  return parsed.data;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
