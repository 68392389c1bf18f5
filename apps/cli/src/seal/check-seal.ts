import type { LedgerPage } from '@vuka/admin';
import { ACT_SOURCES } from '@vuka/data-folder';
import { AdminRefusedError } from '@vuka/http';
import { checkChain, SealArchive, type CheckedChain } from '@vuka/persistence';
import { BootError, DeadlineExceededError, ServiceUnavailableError } from '@vuka/runtime';

import type { Admin } from '../admin-client.js';
import { KeptBlocks, type WrittenBlock } from './kept-blocks.js';

type ActSource = (typeof ACT_SOURCES)[number];

export const SEAL_RULE = 'what was sealed is unchanged, up to the blocks kept outside';

export interface SealWish {
  /** Of blocks kept outside the database. */
  readonly file: string;
  /** Adds new blocks to it, which makes it where it is not there. */
  readonly write: boolean;
  /** Files of exports. */
  readonly archives: readonly string[];
}

export interface SealedChainView {
  readonly service: ActSource;
  readonly chain: string;
  readonly blocks: number;
  readonly rows: number;
  readonly epoch: number;
  /** Of the last block. */
  readonly hash: string;
  readonly sealed_at: string;
  /** Blocks that the file did not know. */
  readonly not_kept: number;
}

export interface SealCheck {
  readonly check: LedgerPage['checks'][number];
  readonly not_read: LedgerPage['not_read'];
  readonly chains: readonly SealedChainView[];
  /** Blocks added to the file; null: it was not to be written, or something is broken. */
  readonly written: number | null;
}

/**
 * Verifies every chain of every service against a file kept outside the database. Adds new blocks to it only where
 * nothing is broken. Throws BootError for an unusable file.
 */
export async function checkSeal({ file, write, archives }: SealWish, admin: Admin): Promise<SealCheck> {
  const kept = KeptBlocks.read(file, write);
  const archive = await archiveOf(archives);
  const found = await Promise.all(ACT_SOURCES.map((service) => checkService(service, admin, kept, archive)));
  const broken = found.flatMap((one) => one.broken);
  const fresh = found.flatMap((one) => one.fresh);
  const mayWrite = write && broken.length === 0;
  if (mayWrite) await kept.add(fresh);
  return {
    check: { rule: SEAL_RULE, broken },
    not_read: found.flatMap((one) => one.not_read),
    chains: found.flatMap((one) => one.chains),
    written: mayWrite ? fresh.length : null,
  };
}

interface CheckedService {
  readonly broken: Record<string, unknown>[];
  readonly not_read: LedgerPage['not_read'];
  readonly chains: SealedChainView[];
  readonly fresh: WrittenBlock[];
}

async function checkService(
  service: ActSource,
  admin: Admin,
  kept: KeptBlocks,
  archive: SealArchive | null,
): Promise<CheckedService> {
  const result: CheckedService = { broken: [], not_read: [], chains: [], fresh: [] };
  try {
    const asked = service === 'admin' ? admin.views : admin[service];
    const heads = await asked.sealHeads();
    const names = new Set([...heads.map(({ chain }) => chain), ...kept.chainsOf(service)]);
    for (const chain of names) {
      const read = (wanted: { after: number; most: number }) => asked.sealedBlocks({ chain, ...wanted });
      const checked = await checkChain(read, kept.of(service, chain), service === 'payments' ? archive : null);
      result.broken.push(...checked.faults.map((fault) => ({ service, chain, ...fault })));
      result.fresh.push(...checked.fresh.map(({ epoch, number, hash }) => ({ service, chain, epoch, number, hash })));
      if (checked.head !== null) result.chains.push(viewOf(service, chain, checked, checked.head));
    }
    return result;
  } catch (error) {
    if (
      error instanceof ServiceUnavailableError ||
      error instanceof DeadlineExceededError ||
      error instanceof AdminRefusedError
    )
      return { ...result, not_read: [{ what: `the sealed blocks of ${service}`, why: error.message, is_away: true }] };
    throw error;
  }
}

function viewOf(
  service: ActSource,
  chain: string,
  { rows, fresh }: CheckedChain,
  head: NonNullable<CheckedChain['head']>,
): SealedChainView {
  return {
    service,
    chain,
    blocks: head.number,
    rows,
    epoch: head.epoch,
    hash: head.hash,
    sealed_at: head.sealedAt.toISOString(),
    not_kept: fresh.length,
  };
}

async function archiveOf(files: readonly string[]): Promise<SealArchive | null> {
  if (files.length === 0) return null;
  try {
    return await SealArchive.read(files);
  } catch (error) {
    throw new BootError(`${(error as Error).message}.`, 'docs/operators/backups.md says how an export is made.', {
      cause: error,
    });
  }
}
