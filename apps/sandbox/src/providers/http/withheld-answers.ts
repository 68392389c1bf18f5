import type { Socket } from 'node:net';

import type { FastifyReply, FastifyRequest } from 'fastify';

/** Held back at one time; beyond this the connection is cut at once, which tells as little. */
const MAX_HELD = 1_000;

/** Answers that are not given in time. Each takes up its connection and nothing else, and ends with whichever comes first: its time, its caller, the provider. */
export class WithheldAnswers {
  readonly #held = new Set<() => void>();
  #isOver = false;

  constructor(private readonly holdMs: number) {}

  /** Resolves true when the answer may be given after all, false when nobody is to get it. */
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

  /** Gives all of them up, and those that would come. */
  end(): void {
    this.#isOver = true;
    for (const giveUp of [...this.#held]) giveUp();
  }
}

/** Cuts the connection: its caller learns nothing. */
export function hangUp(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack();
  request.raw.socket.destroy();
  return reply;
}
