import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const HOST = '127.0.0.1';

/** What a node of the sandbox's own is made of. */
export interface NodeParts {
  readonly handle: RequestListener;
  /** Saves what is not saved yet, and lets go of what it holds. */
  close(): Promise<void>;
}

/**
 * The program of a node that is no program of somebody else's: `--folder` holds its state, `--port` is on loopback. Told to end (SIGTERM)
 * it saves and ends with 0; where the port is taken it says so and ends with 1. `listens.json` in the folder is written once it listens:
 * a port that answers before is a stranger's.
 */
export async function runNode(open: (folder: string) => Promise<NodeParts>): Promise<void> {
  const { values } = parseArgs({ options: { folder: { type: 'string' }, port: { type: 'string' } } });
  const folder = values.folder ?? '';
  const port = Number(values.port);
  const parts = await open(folder);
  const server = createServer(parts.handle);
  server.listen(port, HOST);
  await once(server, 'listening');
  await writeFile(join(folder, 'listens.json'), `${JSON.stringify({ pid: process.pid, port })}\n`);
  const end = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await parts.close();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void end());
}
