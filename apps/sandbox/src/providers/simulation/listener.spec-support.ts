import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Json = Readonly<Record<string, unknown>>;

export interface Heard {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  readonly body: Json;
}

/** What a merchant's door hears; answers with the statuses given, then with 200. */
export class Listener {
  readonly heard: Heard[] = [];
  readonly statuses: number[] = [];
  /** Of what is not answered by `statuses`. */
  decide: (heard: Heard) => Promise<number> = () => Promise.resolve(200);
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(path: string): Promise<Listener> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const raw = Buffer.concat(chunks).toString('utf8');
        const { method = '', url: heardAt = '', headers } = request;
        const heard: Heard = { method, path: heardAt, headers, raw, body: JSON.parse(raw) as Json };
        listener.heard.push(heard);
        const status = listener.statuses.shift();
        if (status !== undefined) return void response.writeHead(status).end();
        void listener.decide(heard).then((decided) => response.writeHead(decided).end());
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const listener: Listener = new Listener(server, `http://127.0.0.1:${port}${path}`);
    return listener;
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
