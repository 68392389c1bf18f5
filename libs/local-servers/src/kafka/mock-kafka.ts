import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { cacheFolder } from '../cache-folder.js';
import { unpackDebian, type Unpacked } from '../debian-packages.js';
import type { FindOptions } from './find-kafka.js';
import { clusterAt } from './kafka-handshake.js';
import type { LocalServer, LocalServerOptions } from '../local-server.js';
import { HOST, serverEnvironment, startNative } from '../native-server.js';

export interface MockKafkaProgram {
  readonly ok: true;
  readonly python: string;
  /** Beside what is inherited: where the module and its libraries lie. */
  readonly env: NodeJS.ProcessEnv;
}

const PACKAGE = 'python3-confluent-kafka';
/** Debian's module is built for Debian's own Python, whatever comes first on PATH. */
const PYTHONS = ['/usr/bin/python3', 'python3'];
const ASK_TIMEOUT_MS = 20_000;
const SCRIPT = fileURLToPath(new URL('../../mock-kafka.py', import.meta.url));

/** A Python that has confluent_kafka: the system's, else with Debian's package unpacked into the cache (0.7 MB, nothing installed). */
export async function findMockKafka({ tell = () => undefined, env = process.env }: FindOptions = {}): Promise<
  MockKafkaProgram | { readonly ok: false; readonly why: string }
> {
  for (const python of PYTHONS) if (await hasModule(python, env)) return { ok: true, python, env: {} };
  const [python = 'python3'] = PYTHONS;
  const works = (unpacked: Unpacked): Promise<boolean> => hasModule(python, { ...env, ...inside(unpacked) });
  const unpacked = await unpackDebian({ name: PACKAGE, folder: await cacheFolder('debian', env), works, tell });
  return unpacked.ok
    ? { ok: true, python, env: inside(unpacked) }
    : { ok: false, why: `no Python here has confluent_kafka, and ${unpacked.why}` };
}

/**
 * librdkafka's mock cluster where there is no Kafka: it speaks the protocol of producers, consumers and groups, and is no broker. It
 * keeps nothing (a second start is empty, on another port: a port cannot be asked for), makes each topic that is named, with 4
 * partitions, knows no CreateTopics and no idempotent producer, and a fetch waits its full maxWaitTime: keep that small (20 ms).
 */
export async function startMockKafka({
  folder,
  log,
  tell,
}: Omit<LocalServerOptions, 'port'> & Pick<FindOptions, 'tell'>): Promise<LocalServer> {
  const mock = await findMockKafka({ ...(tell && { tell }) });
  if (!mock.ok) throw new Error(mock.why);
  return startNative({ folder, log }, async ({ path }) => {
    const portFile = join(path, 'mock.json');
    return {
      name: "librdkafka's mock of Kafka",
      logFile: 'mock.log',
      mark: `${SCRIPT} ${portFile}`,
      portTaken: /Address already in use/,
      ownPort: (pid) => readPort(portFile, pid),
      answers: async (port) => (await clusterAt(HOST, port)) !== undefined,
      prepare: async () => ({ file: mock.python, args: [SCRIPT, portFile], env: serverEnvironment(mock.env) }),
    };
  });
}

/** Of this very process: the file may be of one before it. */
async function readPort(file: string, pid: number): Promise<number | undefined> {
  try {
    const found = JSON.parse(await readFile(file, 'utf8')) as { pid: number; port: number };
    return found.pid === pid ? found.port : undefined;
  } catch {
    return undefined;
  }
}

function inside({ root, libraries }: Unpacked): NodeJS.ProcessEnv {
  return {
    PYTHONPATH: join(root, 'root', 'usr', 'lib', 'python3', 'dist-packages'),
    LD_LIBRARY_PATH: libraries.join(delimiter),
  };
}

async function hasModule(python: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  return promisify(execFile)(python, ['-c', 'import confluent_kafka'], { env, timeout: ASK_TIMEOUT_MS }).then(
    () => true,
    () => false,
  );
}
