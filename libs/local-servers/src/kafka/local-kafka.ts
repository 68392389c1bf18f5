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
  /** Overrides kafka-properties.ts. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Progress for people. */
  readonly tell?: (line: string) => void;
}

/** Fast start and little memory. */
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
 * KRaft, on loopback. The folder is formatted once and keeps topics, offsets and groups. Writes are not
 * synced (Kafka's default): acknowledged data survives the broker's death, not the machine's.
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

async function clusterOf(data: string): Promise<string | null> {
  return /^cluster\.id=(.+)$/m.exec(await readFile(join(data, 'meta.properties'), 'utf8'))?.[1]?.trim() ?? null;
}

/** Nobody listens on the broker's port yet, so the system may return it again. */
async function anotherFreePort(taken: number): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (port !== taken) return port;
  }
}

/** Renamed when complete; a half formatted folder is formatted again. */
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
