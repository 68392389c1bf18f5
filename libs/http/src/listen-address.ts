import { createServer } from 'node:net';

import type { Settings } from '@vuka/config';
import { BootError } from '@vuka/runtime';

type Address = Pick<Settings, 'host' | 'port'>;

/** Throws BootError. */
export async function assertAddressIsFree(address: Address): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: address.host, port: address.port, exclusive: true }, resolve);
    });
  } catch (error) {
    throw listenProblem(address, error);
  } finally {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

export function listenProblem({ host, port }: Address, error: unknown): unknown {
  const another = 'Choose another port: PORT=3001 npm start (PORT=0 takes any free port).';
  const problems: Record<string, [what: string, advice: string]> = {
    EADDRINUSE: [`Another program uses port ${port} on ${host}.`, another],
    EACCES: [`This user may not listen on port ${port}.`, another],
    EADDRNOTAVAIL: [
      `This machine has no address ${host}.`,
      'Set HOST to an address of this machine; 127.0.0.1 always works.',
    ],
    ENOTFOUND: [
      `The host name ${host} cannot be resolved.`,
      'Set HOST to an address of this machine; 127.0.0.1 always works.',
    ],
  };
  const problem = problems[(error as NodeJS.ErrnoException).code ?? ''];
  return problem === undefined ? error : new BootError(...problem, { cause: error });
}
