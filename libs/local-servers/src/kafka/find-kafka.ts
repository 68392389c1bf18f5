import { cacheFolder } from '../cache-folder.js';
import { findJava } from './java.js';
import { fetchJars, pinnedJars } from './pinned-jars.js';

export interface KafkaProgram {
  readonly ok: true;
  readonly version: string;
  readonly java: string;
  readonly javaBuild: string;
  /** Of the jars. */
  readonly folder: string;
  readonly classPath: readonly string[];
}

export interface FindOptions {
  /** Lines for people while something is fetched. */
  readonly tell?: (line: string) => void;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Java and the pinned jars: from the cache, else fetched (39 MB, once for this user), each checked by its SHA-256. Says why where they
 * cannot be had; never throws for that.
 */
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
