export type MemberState = 'starting' | 'ready' | 'not ready' | 'waiting' | 'stopped' | 'gone' | 'elsewhere';

export interface MemberView {
  /** `payments`, `payments-2`, `kafka`. */
  readonly name: string;
  readonly kind: 'server' | 'provider' | 'service';
  /** `waiting`: died, restarts soon; `stopped`: on request; `elsewhere`: not ours. */
  readonly state: MemberState;
  /** For operators; '' if nothing. */
  readonly detail: string;
  readonly pid: number | null;
  /** By use: `api`, `internal`, `kafka`. */
  readonly ports: Readonly<Record<string, number>>;
  /** Since the stack started. */
  readonly restarts: number;
  /** Resident; null if unknown. */
  readonly memoryBytes: number | null;
  readonly logFile: string;
}
