import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const HOST = '127.0.0.1';

export interface NodeParts {
  readonly handle: RequestListener;
  /** Saves, and frees resources. */
  close(): Promise<void>;
}

/**
 * `--folder` has its state, `--port` is on loopback. SIGTERM: saves, exits with 0; exits with 1 if the port
 * is taken. `listens.json` is written once it listens.
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
