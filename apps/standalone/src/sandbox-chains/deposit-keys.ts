import { readFile } from 'node:fs/promises';

import { accountXpub, newMnemonic } from '@vuka/chains';

import { exists, type DataFolder } from '../data-folder.js';
import { writeDurably } from '../durable-file.js';

/**
 * The public key of a sandbox's deposit addresses. Made once for a folder, of words that are written beside it and are read by nothing
 * that runs: as in live, no service can move what has arrived.
 */
export async function ensureDepositXpub({ depositKeysFile, depositXpubFile }: Pick<DataFolder, 'depositKeysFile' | 'depositXpubFile'>): Promise<string> {
  if (await exists(depositXpubFile)) return (await readFile(depositXpubFile, 'utf8')).trim();
  const mnemonic = newMnemonic();
  const xpub = accountXpub(mnemonic);
  // The words first: a public key without them would have money go where nobody can fetch it.
  await writeDurably(depositKeysFile, `${JSON.stringify({ mnemonic }, null, 2)}\n`);
  await writeDurably(depositXpubFile, `${xpub}\n`);
  return xpub;
}
