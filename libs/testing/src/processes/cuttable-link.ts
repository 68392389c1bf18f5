import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * `pass`: both ways. `silence`: accepted, but nothing comes back, like a packet filter that drops all.
 * `lose-answers`: requests arrive, and the connection breaks before the answers.
 */
export type LinkMood = 'pass' | 'silence' | 'lose-answers';

/** A proxy to a local server that can be cut, like a killed process or a broken network. */
export class CuttableLink {
  mood: LinkMood = 'pass';
  readonly sent: string[] = [];
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private port = 0;

  constructor(private target: number) {}

  get url(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  get open(): number {
    return this.sockets.size;
  }

  async join(target = this.target): Promise<void> {
    this.target = target;
    const server = createServer((socket) => this.carry(socket));
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  /** Closes every connection and refuses new ones, as if the server died. */
  async cut(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    const closed = server === undefined ? Promise.resolve() : new Promise((resolve) => server.close(resolve));
    this.drop();
    await closed;
  }

  /** Closes every connection; new ones are accepted. */
  drop(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
    this.sockets.clear();
  }

  private carry(caller: Socket): void {
    this.track(caller);
    if (this.mood === 'silence') {
      // Must be read, or its end is not seen.
      caller.resume();
      return;
    }
    const at = this.sent.push('') - 1;
    const callee = connect(this.target, '127.0.0.1');
    this.track(callee);
    caller.on('data', (bytes) => {
      this.sent[at] += bytes.toString('latin1');
      callee.write(bytes);
    });
    callee.on('data', (bytes) => {
      if (this.mood === 'pass') caller.write(bytes);
      else caller.resetAndDestroy();
    });
    caller.on('close', () => callee.destroy());
    callee.on('close', () => caller.destroy());
  }

  private track(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
  }
}
