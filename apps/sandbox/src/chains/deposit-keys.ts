import { readFile } from 'node:fs/promises';

import { sandboxDepositKeys } from '@vuka/chains';
import type { ChainSettings } from '@vuka/config';
import { type DataFolder, exists, writeDurably } from '@vuka/data-folder';
import { CHAINS } from '@vuka/domain';
import { z } from 'zod';

export type DepositSources = Pick<ChainSettings, 'depositXpub' | 'solanaAddressesFile' | 'stellarAccount'>;

type Files = Pick<DataFolder, 'depositKeysFile' | 'depositXpubFile' | 'solanaAddressesFile' | 'stellarAccountFile'>;

/** One per partner and order; nobody adds more later. */
const SOLANA_ADDRESSES = 2_000;

const secretsFile = z.looseObject({
  mnemonic: z.string().optional(),
  solana: z.array(z.string()).optional(),
  stellar: z.string().optional(),
});
type Secrets = z.output<typeof secretsFile>;

/**
 * Uses the settings, else keys made once per folder. Their secrets are in a file that no service reads: as in live, no
 * service can move deposits.
 */
export async function ensureDepositSources(
  files: Files,
  { depositXpub, solanaAddressesFile, stellarAccount }: DepositSources,
  served: readonly string[],
): Promise<DepositSources> {
  const families = new Set(CHAINS.filter(({ name }) => served.includes(name)).map(({ family }) => family));
  // Sequential, because they share the secrets file.
  const xpub = depositXpub ?? (families.has('evm') ? await ensureXpub(files) : null);
  const addresses = solanaAddressesFile ?? (families.has('solana') ? await ensureSolanaAddresses(files) : undefined);
  const account = stellarAccount ?? (families.has('stellar') ? await ensureStellarAccount(files) : null);
  return {
    depositXpub: xpub,
    stellarAccount: account,
    ...(addresses !== undefined && { solanaAddressesFile: addresses }),
  };
}

async function ensureXpub(files: Files): Promise<string> {
  return ensure(files, files.depositXpubFile, async () => {
    const { accountXpub, newMnemonic } = await sandboxDepositKeys();
    const mnemonic = newMnemonic();
    return { secrets: { mnemonic }, known: accountXpub(mnemonic) };
  });
}

async function ensureSolanaAddresses(files: Files): Promise<string> {
  await ensure(files, files.solanaAddressesFile, async () => {
    const { newSolanaKey } = await sandboxDepositKeys();
    const keys = Array.from({ length: SOLANA_ADDRESSES }, newSolanaKey);
    return {
      secrets: { solana: keys.map(({ secret }) => secret) },
      known: JSON.stringify(
        keys.map(({ address }) => address),
        null,
        2,
      ),
    };
  });
  return files.solanaAddressesFile;
}

async function ensureStellarAccount(files: Files): Promise<string> {
  return ensure(files, files.stellarAccountFile, async () => {
    const { newStellarKey } = await sandboxDepositKeys();
    const { secret, address } = newStellarKey();
    return { secrets: { stellar: secret }, known: address };
  });
}

async function ensure(
  { depositKeysFile }: Files,
  file: string,
  make: () => Promise<{ readonly secrets: Secrets; readonly known: string }>,
): Promise<string> {
  if (await exists(file)) return (await readFile(file, 'utf8')).trim();
  const { secrets, known } = await make();
  const others = (await exists(depositKeysFile))
    ? secretsFile.parse(JSON.parse(await readFile(depositKeysFile, 'utf8')))
    : {};
  // Secrets first: money sent to a public key without a secret is lost.
  await writeDurably(depositKeysFile, `${JSON.stringify({ ...others, ...secrets }, null, 2)}\n`);
  await writeDurably(file, `${known}\n`);
  return known;
}
