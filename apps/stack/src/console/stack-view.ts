import type { MemberView } from '@vuka/local-servers';

export interface StackStatus {
  readonly ok: boolean;
  readonly folder: string;
  /** null: no supervisor runs. */
  readonly supervisor: { readonly pid: number; readonly since: string } | null;
  /** The first is the one in sandbox.json. */
  readonly gateways: readonly string[];
  readonly members: readonly MemberView[];
}

export interface ControlAnswer {
  readonly ok: boolean;
  readonly message: string;
  readonly status?: StackStatus;
}
