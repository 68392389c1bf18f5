import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

import { readPrivateJson, refuseSetting } from '@vuka/config';
import { z } from 'zod';

import type { DataFolder } from './data-folder.js';
import { holderOf } from './folder-lock.js';

export const ADMIN_SERVICES = ['gateway', 'payments', 'offramp', 'checkout', 'notifier'] as const;
export type AdminServiceName = (typeof ADMIN_SERVICES)[number];

/** Who keeps a record of acts: admin, too, of what it does about people. */
export const ACT_SOURCES = [...ADMIN_SERVICES, 'admin'] as const;
export type ActSource = (typeof ACT_SOURCES)[number];

const VARIABLE = 'VUKA_ADMIN_FILE';
const ANSWERS_WITHIN_MS = 2_000;

const url = z
  .string()
  .max(500)
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).pathname === '/')
  .transform((text) => new URL(text).origin);

const adminFile = z.object({
  version: z.literal(1),
  /** Named in admin entries. null: anybody with the file, who gives a name with --by. */
  operator: z.string().trim().min(1).max(80).nullable(),
  credential: z.string().regex(/^[\x21-\x7e]{32,500}$/),
  /** Base64url of 32 bytes: the person approves with it. */
  signing_seed: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/)
    .exactOptional(),
  url,
});

/** Form: docs/operators/operators.md. */
export type AdminFile = z.output<typeof adminFile>;

/** Throws SettingsError if unreadable, open to others or malformed; the error never shows a value. */
export async function readAdminFile(path: string): Promise<AdminFile> {
  const parsed = adminFile.safeParse(await readPrivateJson(VARIABLE, path));
  if (parsed.success) return parsed.data;
  const members = new Set(parsed.error.issues.map((issue) => issue.path.join('.') || 'the whole file'));
  return refuseSetting(
    VARIABLE,
    `a valid operators file: these members of ${path} are missing or wrong: ${[...members].join(', ')}`,
  );
}

export function adminFileText(admin: Omit<AdminFile, 'version'>): string {
  return `${JSON.stringify({ version: 1, ...admin }, null, 2)}\n`;
}

const folderAdmin = adminFile.extend({ holder: z.string().min(1).max(500) });

/** Only for the lock holder. Readers see the old or the new content. */
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
 * null if no Vuka works on the folder. A killed Vuka's file stays and its ports may be another program's, which must
 * not learn the credential. So a file of another lock holder is ignored.
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
