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
  readonly env: NodeJS.ProcessEnv;
}

const PACKAGE = 'python3-confluent-kafka';
/** Debian's module needs Debian's Python. */
const PYTHONS = ['/usr/bin/python3', 'python3'];
const ASK_TIMEOUT_MS = 20_000;
const SCRIPT = fileURLToPath(new URL('../../mock-kafka.py', import.meta.url));

/** The system's, else Debian's package in the cache (0.7 MB, not installed). */
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
 * librdkafka's mock cluster. It keeps nothing, picks its own port, creates any named topic with 4 partitions,
 * and has no CreateTopics and no idempotent producer. A fetch always waits maxWaitTime: use 20 ms.
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

/** Written by this process, not by a former one. */
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
