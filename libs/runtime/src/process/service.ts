import { answerWithin } from '../answer-within.js';

export interface RunningService {
  readonly name: string;
  /** Resolves when it serves and works. */
  start(): Promise<void>;
  /** Else the reason, for operators. */
  ready(): Promise<true | string>;
  /** Takes no new work and finishes the rest. Bounded; may be called twice. */
  stop(): Promise<void>;
}

export interface Health {
  readonly ready: boolean;
  /** 'ready' or why not. */
  readonly services: Readonly<Record<string, string>>;
}

const READY_TIMEOUT_MS = 1_000;

/** Throwing, or silent for `timeoutMs`, counts as not ready. */
export async function healthOf(services: readonly RunningService[], timeoutMs = READY_TIMEOUT_MS): Promise<Health> {
  const states = await Promise.all(services.map((service) => stateOf(service, timeoutMs)));
  return {
    ready: states.every((state) => state === 'ready'),
    services: Object.fromEntries(services.map((service, index) => [service.name, states[index] ?? 'unknown'])),
  };
}

async function stateOf(service: RunningService, timeoutMs: number): Promise<string> {
  try {
    const state = await answerWithin(timeoutMs, service.ready(), `no answer in ${timeoutMs} ms`);
    return state === true ? 'ready' : state;
  } catch (error) {
    return error instanceof Error ? error.name : 'failed';
  }
}
