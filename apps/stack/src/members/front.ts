import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const HOST = '127.0.0.1';
const CONNECT_WITHIN_MS = 500;
const LISTEN_WITHIN_MS = 20_000;
const LOOK_AGAIN_MS = 10;

/**
 * One address for several instances, like a load balancer: connections go round-robin and skip instances that refuse.
 * Bytes pass unchanged.
 */
export class Front {
  private readonly server: Server;
  private readonly open = new Set<Socket>();
  private turn = 0;

  constructor(
    private readonly port: number,
    private readonly targets: () => readonly number[],
  ) {
    this.server = createServer({ noDelay: true }, (caller) => void this.serve(caller));
  }

  async start(): Promise<void> {
    const giveUpAt = performance.now() + LISTEN_WITHIN_MS;
    for (;;) {
      try {
        this.server.listen({ port: this.port, host: HOST, exclusive: true });
        await once(this.server, 'listening');
        this.server.on('error', () => undefined);
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || performance.now() > giveUpAt) throw error;
        await pause(LOOK_AGAIN_MS);
      }
    }
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    for (const socket of this.open) socket.destroy();
    await once(this.server, 'close');
  }

  private async serve(caller: Socket): Promise<void> {
    this.keep(caller);
    const targets = this.targets();
    // Local copy: other connections change it while this one connects.
    const turn = (this.turn += 1);
    for (let tried = 0; tried < targets.length && !caller.destroyed; tried += 1) {
      const port = targets[(turn + tried) % targets.length] ?? 0;
      const instance = await connection(port);
      if (instance === null) continue;
      this.keep(instance);
      instance.once('close', () => caller.destroy());
      caller.once('close', () => instance.destroy());
      if (caller.destroyed) instance.destroy();
      caller.pipe(instance).pipe(caller);
      return;
    }
    caller.destroy();
  }

  private keep(socket: Socket): void {
    this.open.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.open.delete(socket));
  }
}

function connection(port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: HOST, noDelay: true });
    const give = (answer: Socket | null): void => {
      socket.setTimeout(0);
      if (answer === null) socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(CONNECT_WITHIN_MS, () => give(null));
    socket.once('connect', () => give(socket));
    // Kept: errors may come before the new owner of the socket adds its own listener.
    socket.on('error', () => give(null));
  });
}
