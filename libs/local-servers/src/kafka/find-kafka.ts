import { cacheFolder } from '../cache-folder.js';
import { findJava } from './java.js';
import { fetchJars, pinnedJars } from './pinned-jars.js';

export interface KafkaProgram {
  readonly ok: true;
  readonly version: string;
  readonly java: string;
  readonly javaBuild: string;
  readonly folder: string;
  readonly classPath: readonly string[];
}

export interface FindOptions {
  /** Progress for people. */
  readonly tell?: (line: string) => void;
  readonly env?: NodeJS.ProcessEnv;
}

/** Jars from the cache, else fetched (39 MB once), checked by SHA-256. Never throws; says why. */
export async function findKafka({ tell, env = process.env }: FindOptions = {}): Promise<
  KafkaProgram | { readonly ok: false; readonly why: string }
> {
  const pinned = pinnedJars();
  const java = await findJava(pinned.java, env);
  if (!java.ok) return java;
  const folder = await cacheFolder(`kafka-${pinned.kafka}`, env);
  const fetched = await fetchJars({ jars: pinned.jars, folder, env, ...(tell && { tell }) });
  if (!fetched.ok) return { ok: false, why: `Kafka ${pinned.kafka} cannot be fetched: ${fetched.why}` };
  return { ok: true, version: pinned.kafka, java: java.java, javaBuild: java.build, folder, classPath: fetched.files };
}
