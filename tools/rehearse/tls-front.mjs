// What ends TLS before a server on this machine: as endpoints of chains, a source of rates and our own API are reached.
import { once } from 'node:events';
import { Agent, request as ask } from 'node:http';
import { createServer } from 'node:https';

const HOST = '127.0.0.1';
/** Longer than clients keep a quiet connection, so that they let go first. */
const KEEP_ALIVE_MS = 75_000;

/**
 * `answer(request, response, pass)` answers, or passes the request on to a URL: `pass(url)`. Path and body stay as they
 * are beneath it, and so do the headers: who checks a signature sees the host that was asked.
 */
export async function startFront({ key, cert, port = 0, answer }) {
  const agent = new Agent({ keepAlive: true });
  const server = createServer({ key, cert, keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) =>
    answer(request, response, (url) => passOn(request, response, { url, agent })),
  );
  server.listen(port, HOST);
  await once(server, 'listening');
  const stop = async () => {
    server.close();
    server.closeAllConnections();
    agent.destroy();
  };
  return { origin: `https://${HOST}:${server.address().port}`, stop };
}

function passOn(request, response, { url, agent }) {
  const { method, socket } = request;
  const headers = { ...request.headers, 'x-forwarded-for': socket.remoteAddress, 'x-forwarded-proto': 'https' };
  const onward = ask(url, { method, headers, agent }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  onward.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}
