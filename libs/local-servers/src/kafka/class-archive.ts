import { createHash, randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { KafkaProgram } from './find-kafka.js';

/**
 * JVM class data sharing: halves the start. The first stopped broker writes it. The JVM ignores it if it does
 * not fit its jars.
 */
export interface ClassArchive {
  readonly flags: readonly string[];
  /** For other programs of the same jars. */
  readonly readFlags: readonly string[];
  /** Only an orderly end has written everything. */
  keep(how: string): Promise<void>;
}

/** 128 + SIGTERM. */
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

/** The JVM compares build, jar sizes and times. */
function keyOf(javaBuild: string, classPath: readonly string[]): string {
  const jars = classPath.map((file) => [file, statSync(file).size, statSync(file).mtimeMs]);
  return createHash('sha256')
    .update(JSON.stringify([javaBuild, jars]))
    .digest('hex')
    .slice(0, 16);
}
