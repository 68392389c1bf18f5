import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import { uuidv7 } from '@vuka/runtime';

import { ANSWER_HEADERS, problemBody, statusOf, type HttpProblem } from './answer.js';
import { problemOfStatus } from './refusal.js';

const STATUS_BY_ERROR: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };

const FIXED_HEADERS = Object.entries(ANSWER_HEADERS)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

function write(socket: Socket, problem: HttpProblem, extraHeader = ''): void {
  const status = statusOf(problem);
  const requestId = uuidv7();
  const body = problemBody(problem, requestId, false);
  socket.end(
    `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${String(Buffer.byteLength(body))}\r\nRequest-Id: ${requestId}\r\nError-Code: ${problem.code}\r\n` +
      `${FIXED_HEADERS}${extraHeader}Connection: close\r\n\r\n${body}`,
  );
}

/** For requests that Node's parser refuses. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  write(socket, problemOfStatus(STATUS_BY_ERROR[error.code ?? ''] ?? 400));
  // Stops reading, and does not wait for the peer to close.
  socket.destroySoon();
}

/** CONNECT never reaches the router. */
export function answerConnect(_request: IncomingMessage, socket: Socket): void {
  write(socket, { code: 'invalid_request', status: 405, message: 'This is no proxy' }, 'Allow: POST\r\n');
}
