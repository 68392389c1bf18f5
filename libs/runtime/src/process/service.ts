import { answerWithin } from '../answer-within.js';

/** What every service gives to whoever composes it: apps/standalone, or its own main.ts when it runs alone. */
export interface RunningService {
  readonly name: string;
  /** Begins to serve and to work; resolves when both are under way. */
  start(): Promise<void>;
  /** true, or the reason why not in words fit for an operator. */
  ready(): Promise<true | string>;
  /** Takes no new work, lets what is in flight end, closes what it opened. Bounded; may be called twice. */
  stop(): Promise<void>;
}

export interface Health {
  readonly ready: boolean;
  /** Each service's state: 'ready' or why not. */
  readonly services: Readonly<Record<string, string>>;
}

const READY_TIMEOUT_MS = 1_000;

/** Asks every service whether it is ready; one that throws or does not say so within a second is not. */
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
