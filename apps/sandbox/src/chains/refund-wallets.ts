import { readFile } from 'node:fs/promises';

import { endowRefundWallet, newRefundKeys, type WalletKey } from '@vuka/chains';
import type { ChainSettings } from '@vuka/config';
import { type DataFolder, exists, writeDurably } from '@vuka/data-folder';
import { CHAINS, type ChainFamily } from '@vuka/domain';
import { z } from 'zod';

const key = z.object({ address: z.string(), secret: z.string() });
const keysFile = z.object({ evm: key.optional(), solana: key.optional(), stellar: key.optional() });

export interface RefundWalletsWanted {
  readonly folder: Pick<DataFolder, 'refundKeysFile'>;
  readonly settings: Pick<ChainSettings, 'endpoints' | 'refundWallets' | 'sandboxRefundKeysFile'>;
  readonly nodes: Readonly<Record<string, readonly string[]>>;
  readonly tell: (line: string) => void;
}

/**
 * Makes one wallet per served family, once per folder; offramp reads the keys and signs. Funds them at every start.
 * Returns the path of the keys; undefined: something else is set, or there is no chain.
 */
export async function ensureRefundWallets({
  folder,
  settings,
  nodes,
  tell,
}: RefundWalletsWanted): Promise<string | undefined> {
  if (settings.sandboxRefundKeysFile !== undefined) return settings.sandboxRefundKeysFile;
  const served = CHAINS.filter(({ name }) => nodes[name] !== undefined || settings.endpoints[name] !== undefined);
  const families = new Set(
    served.map(({ family }) => family).filter((family) => settings.refundWallets[family] === undefined),
  );
  if (families.size === 0) return undefined;
  const keys = await ensureKeys(folder.refundKeysFile, families);
  await Promise.all(
    served.map(async (chain) => {
      const [url] = nodes[chain.name] ?? [];
      const address = keys[chain.family]?.address;
      if (url === undefined || address === undefined) return;
      try {
        await endowRefundWallet(chain, url, address);
      } catch (error) {
        tell(`  ! the refund wallet on ${chain.name} is not filled: ${(error as Error).message}`);
      }
    }),
  );
  return folder.refundKeysFile;
}

async function ensureKeys(
  file: string,
  families: ReadonlySet<ChainFamily>,
): Promise<Partial<Record<ChainFamily, WalletKey | undefined>>> {
  const known = (await exists(file)) ? keysFile.parse(JSON.parse(await readFile(file, 'utf8'))) : {};
  const missing = [...families].filter((family) => known[family] === undefined);
  if (missing.length === 0) return known;
  const keys = { ...known, ...(await newRefundKeys(missing)) };
  await writeDurably(file, `${JSON.stringify(keys, null, 2)}\n`);
  return keys;
}
