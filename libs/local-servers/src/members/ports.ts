import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

const HOST = '127.0.0.1';
/** Below the range of outgoing connections, so that a port stays free during a restart. */
const [LOWEST, HIGHEST] = [14_000, 31_999];
const TRIES = 1_000;
const ANSWER_WITHIN_MS = 1_000;

/** Each port is given once. */
export class PortPicker {
  private readonly given = new Set<number>();

  async pick(): Promise<number> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const port = randomInt(LOWEST, HIGHEST + 1);
      if (!this.given.has(port) && (await isFree(port))) return this.take(port);
    }
    throw new Error(`no free port from ${LOWEST} to ${HIGHEST} was found`);
  }

  /** Another one if `wanted` is taken. */
  async prefer(wanted: number): Promise<number> {
    return !this.given.has(wanted) && (await isFree(wanted)) ? this.take(wanted) : this.pick();
  }

  private take(port: number): number {
    this.given.add(port);
    return port;
  }
}

export async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen({ port, host: HOST, exclusive: true });
    await once(probe, 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}

export function takesConnections(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const say = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(ANSWER_WITHIN_MS, () => say(false));
    socket.once('connect', () => say(true));
    socket.once('error', () => say(false));
  });
}
