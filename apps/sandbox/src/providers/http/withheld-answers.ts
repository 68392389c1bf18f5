import type { Socket } from 'node:net';

import type { FastifyReply, FastifyRequest } from 'fastify';

/** Beyond this the connection is cut at once. */
const MAX_HELD = 1_000;

/** Answers that do not come in time. Each ends with its time, its caller or the provider. */
export class WithheldAnswers {
  readonly #held = new Set<() => void>();
  #isOver = false;

  constructor(private readonly holdMs: number) {}

  /** false: do not answer. */
  hold(socket: Socket): Promise<boolean> {
    if (this.#isOver || socket.destroyed || this.#held.size >= MAX_HELD) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (isAnswered: boolean): void => {
        clearTimeout(timer);
        socket.off('close', giveUp);
        this.#held.delete(giveUp);
        resolve(isAnswered);
      };
      const giveUp = (): void => end(false);
      const timer = setTimeout(() => end(true), this.holdMs);
      timer.unref();
      socket.once('close', giveUp);
      this.#held.add(giveUp);
    });
  }

  end(): void {
    this.#isOver = true;
    for (const giveUp of [...this.#held]) giveUp();
  }
}

/** The caller learns nothing. */
export function hangUp(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack();
  request.raw.socket.destroy();
  return reply;
}
