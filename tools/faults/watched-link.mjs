import { once } from 'node:events';
import { Agent, createServer, request as ask } from 'node:http';

const HOST = '127.0.0.1';

/**
 * HTTP between two processes, seen from between them. `onCall(request)` comes before a call goes on, `onAnswer(request)`
 * before its answer does; `drop` of the first keeps the call from the other side.
 */
export class WatchedLink {
  onCall = () => 'pass';
  onAnswer = () => undefined;
  #agent = new Agent({ keepAlive: true });

  static async open(target = null) {
    const server = createServer((request, response) => {
      link.#serve(request, response).catch(() => response.destroy());
    });
    server.listen(0, HOST);
    await once(server, 'listening');
    const link = new WatchedLink(server, target);
    return link;
  }

  constructor(server, target) {
    this.server = server;
    /** Its origin. */
    this.target = target;
  }

  get host() {
    return `${HOST}:${this.server.address().port}`;
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
    this.#agent.destroy();
  }

  async #serve(request, response) {
    const body = await wholeOf(request);
    if ((await this.onCall(request)) === 'drop') return response.destroy();
    const { method, url, headers } = request;
    // Headers stay as they are: who checks a signature sees the host that was asked.
    const onward = ask(this.target + url, { method, headers, agent: this.#agent });
    onward.end(body);
    const [answer] = await once(onward, 'response');
    const answered = await wholeOf(answer);
    await this.onAnswer(request);
    return response.writeHead(answer.statusCode, answer.headers).end(answered);
  }
}

async function wholeOf(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
