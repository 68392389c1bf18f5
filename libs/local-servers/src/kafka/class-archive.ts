import { createHash, randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { KafkaProgram } from './find-kafka.js';

/**
 * The classes of a broker as the JVM reads them fastest (class data sharing): halves what a start computes. The first broker that is
 * stopped writes them down; later ones take them. The JVM itself looks whether they fit its jars, and goes on without where they do not.
 */
export interface ClassArchive {
  /** For a broker. */
  readonly flags: readonly string[];
  /** For another program of the same jars. */
  readonly readFlags: readonly string[];
  /** To be told how the broker ended: only one that ended in order has written everything. */
  keep(how: string): Promise<void>;
}

/** How a JVM ends that was asked to (128 + SIGTERM), after its last work. */
const ENDED_IN_ORDER = '143';
const QUIET = ['-Xlog:cds=off', '-Xlog:cds+dynamic=off', '-Xlog:class+path=off'];

export function classArchive({
  folder,
  javaBuild,
  classPath,
}: Pick<KafkaProgram, 'folder' | 'javaBuild' | 'classPath'>): ClassArchive {
  const file = join(folder, `classes-${keyOf(javaBuild, classPath)}.jsa`);
  if (existsSync(file)) {
    const flags = [`-XX:SharedArchiveFile=${file}`, ...QUIET];
    return { flags, readFlags: flags, keep: async () => undefined };
  }
  const draft = `${file}.${randomUUID()}.part`;
  const keep = async (how: string): Promise<void> => {
    if (how === ENDED_IN_ORDER && existsSync(draft)) await rename(draft, file);
    else await rm(draft, { force: true });
  };
  return { flags: [`-XX:ArchiveClassesAtExit=${draft}`, ...QUIET], readFlags: [], keep };
}

/** The JVM compares its own build, and the jars' sizes and times, with those of the archive. */
function keyOf(javaBuild: string, classPath: readonly string[]): string {
  const jars = classPath.map((file) => [file, statSync(file).size, statSync(file).mtimeMs]);
  return createHash('sha256')
    .update(JSON.stringify([javaBuild, jars]))
    .digest('hex')
    .slice(0, 16);
}
