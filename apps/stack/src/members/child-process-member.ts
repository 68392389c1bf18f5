import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

import type { Environment } from '@vuka/data-folder';
import { isPaused, type Member, type MemberState, type MemberView, memoryOf } from '@vuka/local-servers';
import { BootError, type Logger } from '@vuka/runtime';

import { lastLines, linesSince, sizeOf } from './process-log.js';
import { endChild, isRunning, spawnChild } from './spawn-child.js';

export interface ProcessPlan {
  readonly name: string;
  readonly kind: 'provider' | 'service';
  readonly program: string;
  readonly warm?: ChildProcess | undefined;
  readonly env: Environment;
  readonly ports: Readonly<Record<string, number>>;
  readonly logFile: string;
  readonly isReady: () => Promise<true | string>;
}

export interface MemberGround {
  readonly log: Logger;
  /** false: dead processes stay dead. */
  readonly restarts: boolean;
  readonly onChange: () => void;
}

const READY_WITHIN_MS = 120_000;
const LOOK_AGAIN_MS = 60;
const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 10_000;
/** A process that ran this long counts as stable: its restart delay starts from zero. */
const STEADY_MS = 30_000;
const TRIES_AT_START = 3;
const TAIL_LINES = 15;
/** A crash point applies to one start only. */
const CRASH_AT = 'VUKA_CRASH_AT';

/** A service or provider process. If it dies, it is restarted on the same ports, after growing delays. */
export class ChildProcessMember implements Member {
  readonly name: string;
  readonly kind: 'provider' | 'service';
  private child: ChildProcess | undefined;
  private state: MemberState = 'stopped';
  private ended = '';
  private restarts = 0;
  private deathsInARow = 0;
  private launchedAt = 0;
  private logStart = 0;
  private wanted = false;
  private backoff: AbortController | undefined;

  constructor(
    private readonly plan: ProcessPlan,
    private readonly ground: MemberGround,
  ) {
    this.name = plan.name;
    this.kind = plan.kind;
  }

  async start(): Promise<void> {
    if (this.wanted) return;
    this.wanted = true;
    this.deathsInARow = 0;
    this.launch(this.plan.env);
    await this.becomesReady();
  }

  async stop(): Promise<void> {
    this.wanted = false;
    this.backoff?.abort();
    const { child } = this;
    if (child !== undefined && isRunning(child)) await endChild(child);
    this.state = 'stopped';
  }

  kill(): void {
    this.child?.kill('SIGKILL');
  }

  pids(): number[] {
    return this.child?.pid !== undefined && isRunning(this.child) ? [this.child.pid] : [];
  }

  async view(): Promise<MemberView> {
    const [pid = null] = this.pids();
    const { state, detail } = await this.look();
    const { name, kind, restarts } = this;
    return {
      name,
      kind,
      state,
      detail,
      pid,
      ports: this.plan.ports,
      restarts,
      memoryBytes: pid === null ? null : memoryOf(pid),
      logFile: this.plan.logFile,
    };
  }

  private launch(env: Environment): void {
    const { program, logFile, warm } = this.plan;
    this.logStart = sizeOf(logFile);
    const child =
      warm !== undefined && this.child === undefined && isRunning(warm) ? warm : spawnChild(program, logFile, env);
    if (child === warm) child.send(env);
    child.once('exit', (code, signal) => this.onExit(child, code ?? signal));
    this.child = child;
    this.state = 'starting';
    this.launchedAt = performance.now();
    this.ground.onChange();
  }

  private onExit(child: ChildProcess, how: number | string | null): void {
    if (child !== this.child) return;
    this.ground.onChange();
    if (!this.wanted) return;
    const ranMs = performance.now() - this.launchedAt;
    this.deathsInARow = ranMs > STEADY_MS ? 1 : this.deathsInARow + 1;
    const {
      name,
      ground: { log, restarts },
    } = this;
    this.ended = `ended: ${String(how)}`;
    if (!restarts) {
      this.state = 'gone';
      log.warn({ process: name, how }, 'a process ended by itself and is not started again');
      return;
    }
    const inMs = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (this.deathsInARow - 1));
    log.warn({ process: name, how, in_ms: inMs }, 'a process ended by itself, it is started again');
    this.state = 'waiting';
    void this.launchLater(inMs);
  }

  private async launchLater(inMs: number): Promise<void> {
    this.backoff = new AbortController();
    await pause(inMs, undefined, { signal: this.backoff.signal }).catch(() => undefined);
    if (!this.wanted || this.backoff.signal.aborted) return;
    this.restarts += 1;
    const { [CRASH_AT]: _, ...env } = this.plan.env;
    this.launch(env);
  }

  private async becomesReady(): Promise<void> {
    const giveUpAt = performance.now() + READY_WITHIN_MS;
    for (;;) {
      const { state, detail } = await this.look();
      if (state === 'ready') return;
      if (this.deathsInARow >= TRIES_AT_START || this.state === 'gone') throw this.notUp('it ends by itself');
      if (performance.now() > giveUpAt)
        throw this.notUp(`it is not ready after ${READY_WITHIN_MS / 1_000} s${detail && `: ${detail}`}`);
      if (!this.wanted) throw this.notUp('it was stopped');
      await pause(LOOK_AGAIN_MS);
    }
  }

  private async look(): Promise<{ state: MemberState; detail: string }> {
    const [pid] = this.pids();
    if (pid === undefined) return { state: this.state, detail: this.state === 'stopped' ? '' : this.ended };
    if (isPaused(pid)) return { state: 'not ready', detail: 'paused' };
    try {
      const answer = await this.plan.isReady();
      if (answer === true) this.state = 'ready';
      return answer === true
        ? { state: 'ready', detail: '' }
        : { state: this.state === 'starting' ? 'starting' : 'not ready', detail: answer };
    } catch {
      return {
        state: this.state === 'starting' ? 'starting' : 'not ready',
        detail: this.state === 'starting' ? '' : 'it does not answer',
      };
    }
  }

  private notUp(why: string): BootError {
    const { name, logFile } = this.plan;
    const said = linesSince(logFile, this.logStart).lines.slice(-TAIL_LINES);
    const lines = said.length > 0 ? said : lastLines(logFile, TAIL_LINES).lines;
    return new BootError(`${name} does not start: ${why}.`, `The end of ${logFile}:\n  ${lines.join('\n  ')}`);
  }
}
