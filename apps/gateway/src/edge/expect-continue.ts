import type { IncomingMessage } from 'node:http';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { type HttpProblem, sendProblem } from '../http/index.js';

const awaitContinue = new WeakSet<IncomingMessage>();

/** Node would ask for the body at once; `letIn` asks when it will be read. */
export function holdBodiesBack({ server }: FastifyInstance): void {
  // An unknown Expect is ignored: for RFC 9110 section 10.1.1's 417 Node sends no body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('checkContinue', (request, response) => {
    awaitContinue.add(request);
    server.emit('request', request, response);
  });
}

export function letIn(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  if (awaitContinue.delete(request.raw)) reply.raw.writeContinue();
  done();
}

/** Closes the connection if the body was held back: the sender cannot tell whether to send it. */
export function turnAway(request: FastifyRequest, reply: FastifyReply, problem: HttpProblem): void {
  if (awaitContinue.has(request.raw)) void reply.header('connection', 'close');
  sendProblem(reply, problem);
}
