import type { IncomingMessage } from 'node:http';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { type HttpProblem, sendProblem } from '../http/index.js';

/** Requests whose sender keeps the body back until it is told to go on (`Expect: 100-continue`). */
const awaitContinue = new WeakSet<IncomingMessage>();

/** Node would ask for the body at once; `letIn` does once it is known that somebody reads it. */
export function holdBodiesBack({ server }: FastifyInstance): void {
  // An Expect that we do not know is ignored (RFC 9110 section 10.1.1 allows 417, which Node sends without a body).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('checkContinue', (request, response) => {
    awaitContinue.add(request);
    server.emit('request', request, response);
  });
}

/** The body may come. */
export function letIn(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  if (awaitContinue.delete(request.raw)) reply.raw.writeContinue();
  done();
}

/** Refuses. Who still keeps the body back cannot tell whether it is wanted, so that connection ends here. */
export function turnAway(request: FastifyRequest, reply: FastifyReply, problem: HttpProblem): void {
  if (awaitContinue.has(request.raw)) void reply.header('connection', 'close');
  sendProblem(reply, problem);
}
