import type { MemberView } from '@vuka/local-servers';

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
