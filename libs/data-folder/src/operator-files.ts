import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { readPrivateJson, refuseSetting } from '@vuka/config';
import { type Role, ROLES } from '@vuka/contracts';
import { credentialHash } from '@vuka/http';
import { z } from 'zod';

import type { DataFolder } from './data-folder.js';
import { writeDurably } from './durable-file.js';
import type { Secrets } from './secrets.js';

/** Two, so that a developer can play what needs two people. */
const SANDBOX_OPERATORS = [
  { file: 'ann', name: 'Ann Otieno' },
  { file: 'ben', name: 'Ben Mwangi' },
] as const;

export interface OperatorFile {
  /** `ann`, for `--as ann`. */
  readonly file: string;
  readonly name: string;
  readonly role: Role;
  readonly credential: string;
  readonly credentialSha256: string;
}

const operatorFile = z.object({
  version: z.literal(1),
  operator: z.string().trim().min(1).max(80),
  credential: z.string().regex(/^[\x21-\x7e]{32,500}$/),
  signing_seed: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/)
    .exactOptional(),
});

export function sandboxOperators(secrets: Secrets): OperatorFile[] {
  return SANDBOX_OPERATORS.map(({ file, name }) => {
    const credential = secrets.operatorCredential(file);
    return { file, name, role: 'admin', credential, credentialSha256: credentialHash(credential) };
  });
}

export function operatorFileText({ name, credential }: Pick<OperatorFile, 'name' | 'credential'>): string {
  return `${JSON.stringify({ version: 1, operator: name, credential }, null, 2)}\n`;
}

/** `operators/<file>.json` in the folder. */
export async function writeOperatorFiles(folder: DataFolder, operators: readonly OperatorFile[]): Promise<void> {
  await mkdir(join(folder.path, 'operators'), { recursive: true, mode: 0o700 });
  for (const one of operators)
    await writeDurably(join(folder.path, 'operators', `${one.file}.json`), operatorFileText(one));
}

/** `--as <file>`: beside admin.json. Throws SettingsError, never with a value. */
export async function readOperatorFile(beside: string, file: string): Promise<z.output<typeof operatorFile>> {
  if (!/^[a-z0-9][a-z0-9-]{0,40}$/.test(file))
    return refuseSetting('--as', 'the name of a file in operators, without .json');
  const path = join(beside, 'operators', `${file}.json`);
  const parsed = operatorFile.safeParse(await readPrivateJson('--as', path));
  return parsed.success ? parsed.data : refuseSetting('--as', `a valid file of an operator: ${path} is none`);
}

const firstOperators = z.object({
  version: z.literal(1),
  operators: z
    .array(
      z.object({
        name: z.string().min(1).max(80),
        role: z.enum(ROLES),
        credential_sha256: z.string().regex(/^[0-9a-f]{64}$/),
      }),
    )
    .min(2)
    .max(50),
});

/** Of a live folder: whom `operators-begin` let in. [] : nobody yet. Throws SettingsError. */
export async function operatorsOf(folder: DataFolder): Promise<Omit<OperatorFile, 'file' | 'credential'>[]> {
  const path = firstOperatorsFile(folder);
  if (!existsSync(path)) return [];
  const parsed = firstOperators.safeParse(await readPrivateJson('VUKA_DATA_DIR', path));
  if (!parsed.success) return refuseSetting('VUKA_DATA_DIR', `a folder with a valid operators.json: ${path} is none`);
  return parsed.data.operators.map(({ name, role, credential_sha256 }) => ({
    name,
    role,
    credentialSha256: credential_sha256,
  }));
}

/** Two people in one act, each with a file of their own. Throws where somebody was let in before. */
export async function beginOperators(folder: DataFolder, names: readonly string[]): Promise<OperatorFile[]> {
  const operators = names.map((name, place): OperatorFile => {
    const credential = randomBytes(33).toString('base64url');
    const word = /[a-z0-9]+/.exec(name.toLowerCase())?.[0] ?? 'operator';
    const isFirst = !names.slice(0, place).some((other) => /[a-z0-9]+/.exec(other.toLowerCase())?.[0] === word);
    const file = isFirst ? word : `${word}-${String(place + 1)}`;
    return { file, name, role: 'admin', credential, credentialSha256: credentialHash(credential) };
  });
  const kept = operators.map(({ name, role, credentialSha256: credential_sha256 }) => ({
    name,
    role,
    credential_sha256,
  }));
  await writeOperatorFiles(folder, operators);
  await writeDurably(firstOperatorsFile(folder), `${JSON.stringify({ version: 1, operators: kept }, null, 2)}\n`);
  return operators;
}

export function hasOperators(folder: DataFolder): boolean {
  return existsSync(firstOperatorsFile(folder));
}

function firstOperatorsFile({ path }: DataFolder): string {
  return join(path, 'operators.json');
}
