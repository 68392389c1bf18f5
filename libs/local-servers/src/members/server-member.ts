import { setTimeout as pause } from 'node:timers/promises';

import { BootError, type Logger } from '@vuka/runtime';

import type { MemberState, MemberView } from './member-view.js';
import type { Member } from './member.js';
import { takesConnections } from './ports.js';
import { isPaused, memoryOf } from './process-facts.js';

export interface RunningServer {
  readonly host: string;
  readonly port: number;
  readonly pid: number;
  /** Absent if it restarts itself on the same port. */
  readonly ended?: Promise<string>;
  stop(): Promise<void>;
}

export interface ServerPlan<S extends RunningServer> {
  readonly name: string;
  readonly logFile: string;
  /** `port` undefined at the first start. */
  readonly begin: (port: number | undefined) => Promise<S>;
  /** For people, if it does not start. */
  readonly advice: string;
}

const BACKOFF_MS = [200, 1_000, 3_000, 10_000];

/** Restarted on its folder and port if it ends by itself. */
export class ServerMember<S extends RunningServer = RunningServer> implements Member {
  readonly kind = 'server';
  readonly name: string;
  private server: S | undefined;
  private port: number | undefined;
  private lastPid = 0;
  private restarts = 0;
  private wanted = false;
  private isBeginning = false;

  constructor(
    private readonly plan: ServerPlan<S>,
    private readonly ground: { readonly log: Logger; readonly onChange: () => void },
  ) {
    this.name = plan.name;
  }

  /** Throws before the start. */
  get running(): S {
    if (this.server === undefined) throw new Error(`${this.name} was not started`);
    return this.server;
  }

  async start(): Promise<void> {
    if (this.wanted) return;
    this.wanted = true;
    try {
      await this.begin();
    } catch (error) {
      this.wanted = false;
      throw new BootError(`${this.name} does not start: ${(error as Error).message}`, this.plan.advice, {
        cause: error,
      });
    }
  }

  async stop(): Promise<void> {
    this.wanted = false;
    await this.server?.stop();
    this.ground.onChange();
  }

  kill(): void {
    const [pid] = this.pids();
    if (pid === undefined) return;
    process.kill(pid, 'SIGKILL');
    // A paused process takes no other signal.
    process.kill(pid, 'SIGCONT');
  }

  pids(): number[] {
    const { server } = this;
    if (server === undefined || !this.wanted) return [];
    if (this.lastPid !== server.pid) {
      this.restarts += this.lastPid === 0 ? 0 : 1;
      this.lastPid = server.pid;
    }
    return memoryOf(server.pid) === null ? [] : [server.pid];
  }

  async view(): Promise<MemberView> {
    const [pid = null] = this.pids();
    const { name, kind, restarts, port, plan } = this;
    const ports = port === undefined ? {} : { [name]: port };
    return {
      name,
      kind,
      ...(await this.state(pid)),
      pid,
      ports,
      restarts,
      memoryBytes: pid === null ? null : memoryOf(pid),
      logFile: plan.logFile,
    };
  }

  private async state(pid: number | null): Promise<{ state: MemberState; detail: string }> {
    if (!this.wanted) return { state: 'stopped', detail: '' };
    if (this.isBeginning) return { state: 'starting', detail: '' };
    if (this.server === undefined || pid === null) return { state: 'waiting', detail: '' };
    if (isPaused(pid)) return { state: 'not ready', detail: 'paused' };
    const answers = await takesConnections(this.server.host, this.server.port);
    return answers ? { state: 'ready', detail: '' } : { state: 'not ready', detail: 'takes no connections' };
  }

  private async begin(): Promise<void> {
    this.isBeginning = true;
    const server = await this.plan.begin(this.port).finally(() => {
      this.isBeginning = false;
    });
    this.server = server;
    this.port = server.port;
    this.pids();
    this.ground.onChange();
    void server.ended?.then((how) => this.onEnd(server, how));
  }

  private async onEnd(server: S, how: string): Promise<void> {
    this.ground.onChange();
    if (!this.wanted || server !== this.server) return;
    this.ground.log.warn({ process: this.name, how }, 'a server ended by itself; it is started again');
    // Releases its folder.
    await server.stop();
    for (let attempt = 0; this.wanted; attempt += 1) {
      await pause(BACKOFF_MS[attempt] ?? BACKOFF_MS.at(-1));
      if (!this.wanted) return;
      try {
        return await this.begin();
      } catch (error) {
        this.ground.log.error({ err: error, process: this.name, attempt }, 'a server did not start again');
      }
    }
  }
}
