/** What one process is at. */
export type MemberState = 'starting' | 'ready' | 'not ready' | 'waiting' | 'stopped' | 'gone' | 'elsewhere';

export interface MemberView {
  /** `payments`, `payments-2`, `sandbox-provider`, `kafka`. */
  readonly name: string;
  readonly kind: 'server' | 'provider' | 'service';
  /** `waiting`: it died and is started again in a moment; `stopped`: on request; `elsewhere`: not ours to start or stop. */
  readonly state: MemberState;
  /** Why it is not ready, in words for an operator; '' where there is nothing to say. */
  readonly detail: string;
  readonly pid: number | null;
  /** By use: `api`, `internal`, `kafka`. */
  readonly ports: Readonly<Record<string, number>>;
  /** How often it was started again since the stack stands. */
  readonly restarts: number;
  /** Resident memory; null where the system does not say. */
  readonly memoryBytes: number | null;
  readonly logFile: string;
}
