import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import { classArchive } from './class-archive.js';
import { findKafka, type KafkaProgram } from './find-kafka.js';
import { clusterAt } from './kafka-handshake.js';
import { brokerProperties, clusterId, logProperties, propertiesText } from './kafka-properties.js';
import type { LocalServer, LocalServerOptions } from '../local-server.js';
import { freePort, HOST, serverEnvironment, startNative, type NativeProgram } from '../native-server.js';
import type { ServerFolder } from '../server-folder.js';

export interface LocalKafkaOptions extends LocalServerOptions {
  /** Added to or put in place of the broker's own (kafka-properties.ts). */
  readonly settings?: Readonly<Record<string, string>>;
  /** Lines for people while jars are fetched. */
  readonly tell?: (line: string) => void;
}

/** Serial collector and no second compiler: a broker for one machine, which starts fast and stays small. */
const JVM_FLAGS = [
  '-Xms64m',
  '-Xmx256m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-XX:+ExitOnOutOfMemoryError',
  '-XX:+IgnoreUnrecognizedVMOptions',
  '-Djava.awt.headless=true',
];
const FORMAT_TIMEOUT_MS = 60_000;

/**
 * One Kafka broker that is its own controller (KRaft), on loopback. Its folder is formatted once and kept; a second start goes on with
 * its topics, offsets and groups, after a kill as after a stop. Writes are left to the operating system to bring to disk (as Kafka does
 * everywhere): what was acknowledged survives the broker's death, not the machine's.
 */
export async function startLocalKafka(options: LocalKafkaOptions): Promise<LocalServer> {
  const kafka = await findKafka({ ...(options.tell && { tell: options.tell }) });
  if (!kafka.ok) throw new Error(kafka.why);
  return startNative(options, async (folder) => program(kafka, folder, options.settings ?? {}));
}

function program(kafka: KafkaProgram, folder: ServerFolder, settings: Readonly<Record<string, string>>): NativeProgram {
  const properties = join(folder.path, 'server.properties');
  const logging = join(folder.path, 'log4j2.properties');
  const data = join(folder.path, 'data');
  const archive = classArchive(kafka);
  const flags = [...JVM_FLAGS, `-Dlog4j2.configurationFile=${logging}`, '-cp', kafka.classPath.join(delimiter)];
  return {
    name: 'Kafka',
    logFile: 'kafka.out',
    ownLogFile: 'kafka.log',
    mark: `kafka.Kafka ${properties}`,
    portTaken: /Address already in use|BindException/,
    answers: async (port) => (await clusterAt(HOST, port)) === (await clusterOf(data)),
    finished: (how) => archive.keep(how),
    async prepare(port) {
      const controllerPort = await anotherFreePort(port);
      await writeFile(logging, propertiesText(logProperties(folder.path)));
      await writeFile(properties, propertiesText({ ...brokerProperties({ port, controllerPort, data }), ...settings }));
      if (!existsSync(data)) await format(kafka.java, [...archive.readFlags, ...flags], folder.path, settings);
      return {
        file: kafka.java,
        args: [...archive.flags, ...flags, 'kafka.Kafka', properties],
        env: serverEnvironment(),
      };
    },
  };
}

/** As it was formatted with. */
async function clusterOf(data: string): Promise<string | null> {
  return /^cluster\.id=(.+)$/m.exec(await readFile(join(data, 'meta.properties'), 'utf8'))?.[1]?.trim() ?? null;
}

/** The system may give the broker's own port again: nobody listens on it yet. */
async function anotherFreePort(taken: number): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (port !== taken) return port;
  }
}

/** Under another name until it is whole: a folder that was killed half way is formatted anew. */
async function format(
  java: string,
  flags: readonly string[],
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const unfinished = join(folder, 'data.unfinished');
  const properties = join(folder, 'format.properties');
  await rm(unfinished, { recursive: true, force: true });
  await writeFile(
    properties,
    propertiesText({ ...brokerProperties({ port: 9092, controllerPort: 9093, data: unfinished }), ...settings }),
  );
  const args = [...flags, 'kafka.tools.StorageTool', 'format', '-t', clusterId(), '-c', properties];
  const trouble = await promisify(execFile)(java, args, {
    env: serverEnvironment(),
    cwd: folder,
    timeout: FORMAT_TIMEOUT_MS,
  }).then(
    () => undefined,
    ({ stdout, stderr }: { stdout?: string; stderr?: string }) => `${stdout ?? ''}${stderr ?? ''}`.slice(-2_000),
  );
  if (trouble !== undefined) throw new Error(`Kafka's folder ${folder} cannot be formatted: ${trouble}`);
  await rename(unfinished, join(folder, 'data'));
}
