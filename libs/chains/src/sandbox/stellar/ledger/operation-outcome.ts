import type { AccountBook, Party } from './accounts.js';

/** Fields of failed operations too. */
export type OperationFields = Readonly<Record<string, unknown>>;

export interface OperationOutcome {
  readonly type: string;
  readonly typeNumber: number;
  /** `op_success`, or Horizon's error code. */
  readonly code: string;
  readonly fields: OperationFields;
  /** Accounts whose payments include it. */
  readonly payers: readonly string[];
}

export interface OperationSurroundings {
  readonly accounts: AccountBook;
  readonly source: Party;
  readonly ledger: number;
  /** `CODE:ISSUER` by contract (C…). */
  readonly assetOfContract: (contract: string) => string | undefined;
}
