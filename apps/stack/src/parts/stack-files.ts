import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { prefixOf } from '@vuka/config';
import { type DataFolder, openDataFolder, writeDurably, STACK_FILE } from '@vuka/data-folder';
import { BootError } from '@vuka/runtime';
import { z } from 'zod';

/** Laid out like an embedded folder, so that admin and the ledger check work on it, plus the stack's own files. */
export interface StackFolder {
  readonly data: DataFolder;
  readonly path: string;
  readonly logs: string;
  readonly kafka: string;
  readonly redis: string;
  readonly secrets: string;
}

export interface SettledFacts {
  /** `prefix`: for the names of topics and groups. */
  readonly broker:
    | { readonly kind: 'own'; readonly prefix: string }
    | { readonly kind: 'elsewhere'; readonly address: string; readonly prefix: string };
}

const OWN_BROKER = { kind: 'own', prefix: prefixOf('VUKA_KAFKA_PREFIX', 'sandbox') } as const;

const settledFile = z.object({
  version: z.literal(1),
  broker: z.union([
    // Nobody shares its own Kafka, so names are the defaults.
    z.object({ kind: z.literal('own') }).transform(() => OWN_BROKER),
    z.object({ kind: z.literal('elsewhere'), address: z.string(), prefix: z.string() }),
  ]),
});

const runFile = z.object({
  version: z.literal(1),
  supervisor: z.object({ pid: z.int(), started: z.string(), since: z.string() }),
  /** The token lets callers control the stack, so only the owner can read the file. */
  control: z.object({ port: z.int(), token: z.string() }),
  gateways: z.array(z.string()),
  /** The start time tells a process from a later one with the same id. */
  processes: z.array(
    z.object({ name: z.string(), kind: z.enum(['server', 'provider', 'service']), pid: z.int(), started: z.string() }),
  ),
});

export type RunFacts = z.output<typeof runFile>;

export async function openStackFolder(path: string): Promise<StackFolder> {
  const data = await openDataFolder(path);
  const folder = {
    data,
    path,
    logs: join(path, 'logs'),
    kafka: join(path, 'kafka'),
    redis: join(path, 'redis'),
    secrets: join(path, 'secrets'),
  };
  await Promise.all([folder.logs, folder.secrets].map((inside) => mkdir(inside, { recursive: true, mode: 0o700 })));
  return folder;
}

/**
 * Made at the first start. Throws BootError if another broker is named: unread events on the first one would be lost.
 */
export async function settleFacts(folder: StackFolder, kafka: string | null): Promise<SettledFacts> {
  const file = join(folder.path, STACK_FILE);
  const parsed = existsSync(file) ? settledFile.safeParse(parseJson(readFileSync(file, 'utf8'))) : undefined;
  if (parsed === undefined) {
    if (!folder.data.isNew)
      throw new BootError(
        `${folder.path} is the data folder of an embedded Vuka (npm start).`,
        'Set VUKA_STACK_DIR to another folder for the stack.',
      );
    const broker: SettledFacts['broker'] =
      kafka === null ? OWN_BROKER : { kind: 'elsewhere', address: kafka, prefix: drawPrefix() };
    await writeDurably(file, `${JSON.stringify({ version: 1, broker }, null, 2)}\n`);
    return { broker };
  }
  if (!parsed.success)
    throw new BootError(
      `${file} is not valid: it is not what Vuka writes.`,
      `Put it back from a backup. Or remove the folder ${folder.path} to start again from nothing.`,
    );
  const { broker } = parsed.data;
  const had = broker.kind === 'own' ? null : broker.address;
  if (had !== kafka) {
    const name = (address: string | null): string =>
      address === null ? 'a Kafka of its own' : `the broker ${address}`;
    throw new BootError(
      `The events of ${folder.path} are in ${name(had)}, but this start uses ${name(kafka)}. Events that were published there and are not processed yet would be lost.`,
      had === null ? 'Start it without VUKA_STACK_KAFKA.' : `Start it with VUKA_STACK_KAFKA=${had}.`,
    );
  }
  return { broker };
}

/** null: never started, or just being written. */
export function readRunFacts(folder: string): RunFacts | null {
  const file = join(folder, 'stack-run.json');
  const parsed = existsSync(file) ? runFile.safeParse(parseJson(readFileSync(file, 'utf8'))) : undefined;
  return parsed?.success === true ? parsed.data : null;
}

/** Atomic for readers. Not synced: after a power cut none of these processes runs. */
export function writeRunFacts(folder: string, facts: RunFacts): void {
  const file = join(folder, 'stack-run.json');
  writeFileSync(`${file}.draft`, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.draft`, file);
}

function drawPrefix(): string {
  return `t${randomBytes(5).toString('hex')}.`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
