import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { prefixOf } from '@vuka/config';
import { type DataFolder, openDataFolder, writeDurably, STACK_FILE } from '@vuka/data-folder';
import { BootError } from '@vuka/runtime';
import { z } from 'zod';

/** A stack's folder: an embedded one's, so that the admin part and the ledger check work on it, and what a stack has besides. */
export interface StackFolder {
  readonly data: DataFolder;
  readonly path: string;
  readonly logs: string;
  readonly kafka: string;
  readonly redis: string;
  readonly secrets: string;
}

/** What stays the same from start to start (stack.json). */
export interface SettledFacts {
  /** Where this stack's events are. `prefix`: before the names of its topics and groups. */
  readonly broker:
    | { readonly kind: 'own'; readonly prefix: string }
    | { readonly kind: 'elsewhere'; readonly address: string; readonly prefix: string };
}

const OWN_BROKER = { kind: 'own', prefix: prefixOf('VUKA_KAFKA_PREFIX', 'sandbox') } as const;

const settledFile = z.object({
  version: z.literal(1),
  broker: z.union([
    // A Kafka of its own is shared with nobody: its names are those that services have by default.
    z.object({ kind: z.literal('own') }).transform(() => OWN_BROKER),
    z.object({ kind: z.literal('elsewhere'), address: z.string(), prefix: z.string() }),
  ]),
});

const runFile = z.object({
  version: z.literal(1),
  supervisor: z.object({ pid: z.int(), started: z.string(), since: z.string() }),
  /** Where the supervisor takes commands, and what opens it. Holds a token, so the file is its owner's alone. */
  control: z.object({ port: z.int(), token: z.string() }),
  gateways: z.array(z.string()),
  /** Everything that was started and may run, told apart by its start from a later process of the same id. */
  processes: z.array(
    z.object({ name: z.string(), kind: z.enum(['server', 'provider', 'service']), pid: z.int(), started: z.string() }),
  ),
});

/** What is true of the present run, or of the last one (stack-run.json). */
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
 * The stack's facts, made at its first start. Throws BootError where another broker is named than the one that has its
 * events: what was published and not yet read would be lost with it.
 */
export async function settleFacts(folder: StackFolder, kafka: string | null): Promise<SettledFacts> {
  const file = join(folder.path, STACK_FILE);
  const parsed = existsSync(file) ? settledFile.safeParse(parseJson(readFileSync(file, 'utf8'))) : undefined;
  if (parsed === undefined) {
    if (!folder.data.isNew)
      throw new BootError(
        `${folder.path} is the data folder of an embedded Vuka (npm start).`,
        'Give the stack a folder of its own with VUKA_STACK_DIR.',
      );
    const broker: SettledFacts['broker'] =
      kafka === null ? OWN_BROKER : { kind: 'elsewhere', address: kafka, prefix: drawPrefix() };
    await writeDurably(file, `${JSON.stringify({ version: 1, broker }, null, 2)}\n`);
    return { broker };
  }
  if (!parsed.success)
    throw new BootError(
      `${file} is not as written by Vuka.`,
      `Put it back from a backup, or remove the folder ${folder.path} to begin anew.`,
    );
  const { broker } = parsed.data;
  const had = broker.kind === 'own' ? null : broker.address;
  if (had !== kafka) {
    const name = (address: string | null): string =>
      address === null ? 'a Kafka of its own' : `the broker ${address}`;
    throw new BootError(
      `The events of ${folder.path} are with ${name(had)}, and this start names ${name(kafka)}: what is published there and not yet read would be lost.`,
      had === null ? 'Start it without VUKA_STACK_KAFKA.' : `Start it with VUKA_STACK_KAFKA=${had}.`,
    );
  }
  return { broker };
}

/** null where the stack was never started, or the file is being written by a start of this moment. */
export function readRunFacts(folder: string): RunFacts | null {
  const file = join(folder, 'stack-run.json');
  const parsed = existsSync(file) ? runFile.safeParse(parseJson(readFileSync(file, 'utf8'))) : undefined;
  return parsed?.success === true ? parsed.data : null;
}

/** Whoever reads sees the old content or the new. Not synced: after a power cut none of these processes runs. */
export function writeRunFacts(folder: string, facts: RunFacts): void {
  const file = join(folder, 'stack-run.json');
  writeFileSync(`${file}.draft`, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.draft`, file);
}

/** `t` and 10 letters and digits, and a dot: short, for it stands before every topic's and group's name. */
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
