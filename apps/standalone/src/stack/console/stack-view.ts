/** What one process of a stack is at. */
export type MemberState = 'starting' | 'ready' | 'not ready' | 'waiting' | 'stopped' | 'gone' | 'elsewhere';

export interface MemberView {
  /** `payments`, `payments-2`, `sandbox-rail`, `kafka`. */
  readonly name: string;
  readonly kind: 'server' | 'rail' | 'service';
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

export interface StackStatus {
  /** Everything runs and is ready. */
  readonly ok: boolean;
  readonly folder: string;
  /** null: nobody looks after the stack. */
  readonly supervisor: { readonly pid: number; readonly since: string } | null;
  /** Addresses of the API; the first is sandbox.json's. */
  readonly gateways: readonly string[];
  readonly members: readonly MemberView[];
}

/** What the supervisor answers a command with. */
export interface ControlAnswer {
  readonly ok: boolean;
  readonly message: string;
  readonly status?: StackStatus;
}
