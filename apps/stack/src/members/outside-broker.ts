import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

import { type Member, type MemberView, takesConnections } from '@vuka/local-servers';
import { BootError } from '@vuka/runtime';

/** A busy broker may miss one poll; a missing one misses all. */
const FOUND_WITHIN_MS = 5_000;
const LOOK_AGAIN_MS = 250;

/** A broker run by somebody else: used, but not started or stopped. */
export class OutsideBroker implements Member {
  readonly name = 'kafka';
  readonly kind = 'server';

  constructor(
    readonly brokers: string,
    private readonly foundWithinMs = FOUND_WITHIN_MS,
  ) {}

  async start(): Promise<void> {
    const from = performance.now();
    while (!(await this.answers())) {
      const isTooLate = performance.now() - from > this.foundWithinMs;
      if (isTooLate)
        throw new BootError(
          `No broker accepts connections at ${this.brokers}.`,
          'Start that broker. Or leave out VUKA_STACK_KAFKA: then the stack starts its own Kafka.',
        );
      await pause(LOOK_AGAIN_MS);
    }
  }

  async stop(): Promise<void> {}

  kill(): void {
    throw new BootError(
      `The broker at ${this.brokers} does not belong to this stack, so it cannot be killed here.`,
      'A stack without VUKA_STACK_KAFKA has its own broker.',
    );
  }

  pids(): number[] {
    return [];
  }

  async view(): Promise<MemberView> {
    const { name, kind, brokers } = this;
    const isThere = await this.answers();
    return {
      name,
      kind,
      state: isThere ? 'elsewhere' : 'not ready',
      detail: isThere ? brokers : `no broker accepts connections at ${brokers}`,
      pid: null,
      ports: { kafka: this.place().port },
      restarts: 0,
      memoryBytes: null,
      logFile: '',
    };
  }

  private answers(): Promise<boolean> {
    const { host, port } = this.place();
    return takesConnections(host, port);
  }

  private place(): { host: string; port: number } {
    const [host = '', port = ''] = this.brokers.split(':');
    return { host, port: Number(port) };
  }
}
