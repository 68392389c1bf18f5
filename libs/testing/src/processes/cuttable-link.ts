import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * What the link does to a connection. `pass`: both ways. `silence`: it is taken and nothing ever comes back, as where a packet
 * filter drops all. `lose-answers`: requests arrive, and the connection is gone before their answers.
 */
export type LinkMood = 'pass' | 'silence' | 'lose-answers';

/** An event bus between a caller and a server on this machine that can be cut, as a killed process or a broken network cuts it. */
export class CuttableLink {
  mood: LinkMood = 'pass';
  /** Bytes that callers sent and that were let through, by connection, in the order of connecting. */
  readonly sent: string[] = [];
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private port = 0;

  constructor(private target: number) {}

  get url(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  /** How many connections are open. */
  get open(): number {
    return this.sockets.size;
  }

  /** Listens, at the port of before where it listened once. */
  async join(target = this.target): Promise<void> {
    this.target = target;
    const server = createServer((socket) => this.carry(socket));
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  /** Every connection is gone at once, and new ones are refused: what the death of the other side looks like. */
  async cut(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    const closed = server === undefined ? Promise.resolve() : new Promise((resolve) => server.close(resolve));
    this.drop();
    await closed;
  }

  /** Every connection is gone at once; new ones are taken. */
  drop(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
    this.sockets.clear();
  }

  private carry(caller: Socket): void {
    this.track(caller);
    if (this.mood === 'silence') {
      // Read, so that its end is seen.
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
