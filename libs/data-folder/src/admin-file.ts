import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

import { readPrivateJson, refuseSetting } from '@vuka/config';
import { z } from 'zod';

import type { DataFolder } from './data-folder.js';
import { holderOf } from './folder-lock.js';

/** Services that have admin operations: those that keep something. */
export const ADMIN_SERVICES = ['gateway', 'payments', 'offramp', 'checkout', 'notifier'] as const;
export type AdminServiceName = (typeof ADMIN_SERVICES)[number];

const VARIABLE = 'VUKA_ADMIN_FILE';
const ANSWERS_WITHIN_MS = 2_000;

const url = z
  .string()
  .max(500)
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).pathname === '/')
  .transform((text) => new URL(text).origin);

const adminFile = z.object({
  version: z.literal(1),
  /** Whose the credential is: what they do bears this name. null: of whoever holds the file, who says by --by who they are. */
  operator: z.string().trim().min(1).max(80).nullable(),
  credential: z.string().regex(/^[\x21-\x7e]{32,500}$/),
  /** Where admin answers. */
  url,
});

/** How people reach admin, and by it the services that run (docs/operators/operators.md has the file's form). */
export type AdminFile = z.output<typeof adminFile>;

/** Throws SettingsError where the file cannot be read, is open to others or is no such file; never with a value of it. */
export async function readAdminFile(path: string): Promise<AdminFile> {
  const parsed = adminFile.safeParse(await readPrivateJson(VARIABLE, path));
  if (parsed.success) return parsed.data;
  const members = new Set(parsed.error.issues.map((issue) => issue.path.join('.') || 'the whole of it'));
  return refuseSetting(
    VARIABLE,
    `a file for operators: in ${path} this is not as it should be: ${[...members].join(', ')}`,
  );
}

/** What the file says, for whoever writes it by other means. */
export function adminFileText(admin: Omit<AdminFile, 'version'>): string {
  return `${JSON.stringify({ version: 1, ...admin }, null, 2)}\n`;
}

/** In a folder, with who held its lock. */
const folderAdmin = adminFile.extend({ holder: z.string().min(1).max(500) });

/** For who holds the folder's lock, while a Vuka works on it. Whoever reads sees the old content or the new. */
export async function writeFolderAdmin(folder: DataFolder, admin: Omit<AdminFile, 'version'>): Promise<void> {
  const file = folderAdminFile(folder);
  const content = { version: 1, ...admin, holder: await holderOf(folder.path) };
  await writeFile(`${file}.draft`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.draft`, file);
}

export async function removeFolderAdmin(folder: DataFolder): Promise<void> {
  await rm(folderAdminFile(folder), { force: true });
}

/**
 * How to reach the Vuka that works on the folder now; null where none does, or its admin does not answer. Of a Vuka that was killed the file stays,
 * and its ports may be another program's by now, which must neither learn the credential nor answer for us: what another holder of the lock wrote is nothing.
 */
export async function runningAdmin(folder: DataFolder): Promise<AdminFile | null> {
  const file = folderAdminFile(folder);
  const holder = await holderOf(folder.path);
  if (holder === null || !existsSync(file)) return null;
  const parsed = folderAdmin.safeParse(parseJson(readFileSync(file, 'utf8')));
  if (!parsed.success || parsed.data.holder !== holder) return null;
  return (await answers(parsed.data.url)) ? parsed.data : null;
}

function folderAdminFile({ path }: DataFolder): string {
  return join(path, 'admin.json');
}

async function answers(origin: string): Promise<boolean> {
  try {
    const answer = await fetch(`${origin}/health/live`, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) });
    await answer.body?.cancel();
    return answer.status === 200;
  } catch {
    return false;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
