import { type Logger, type Metrics, RefusalLog, systemClock } from '@vuka/runtime';
import type { FastifyInstance } from 'fastify';

const REASONS: Readonly<Record<number, string>> = { 401: 'unknown_credential', 403: 'not_allowed' };

/** Of callers that are unknown, or may not do what they asked. */
export function noteRefusals(
  app: FastifyInstance,
  { log, metrics }: { readonly log: Logger; readonly metrics: Metrics },
): void {
  const refusals = new RefusalLog(log, metrics, systemClock);
  app.addHook('onResponse', async (request, reply) => {
    const reason = REASONS[reply.statusCode];
    if (reason === undefined) return;
    const { operation = '' } = (request.params ?? {}) as { operation?: string };
    const caller = request.internalCaller as { readonly caller: string } | undefined;
    refusals.note({
      what: `${request.routeOptions.url ?? ''} ${operation}`.trim(),
      reason,
      address: request.ip,
      keyPrefix: caller?.caller,
    });
  });
  app.addHook('onClose', async () => refusals.flush());
}
