import type { AccountBook, Party } from './accounts.js';

/** What an operation is in Horizon's answers, beside what all have. Failed ones are told as well. */
export type OperationFields = Readonly<Record<string, unknown>>;

export interface OperationOutcome {
  readonly type: string;
  readonly typeNumber: number;
  /** `op_success`, or why not, as Horizon names it. */
  readonly code: string;
  readonly fields: OperationFields;
  /** Whose payments Horizon lists it among; nobody's where it moves nothing to or from an account at once. */
  readonly payers: readonly string[];
}

export interface OperationSurroundings {
  readonly accounts: AccountBook;
  readonly source: Party;
  readonly ledger: number;
  /** `CODE:ISSUER` of the asset that a contract (C…) is the door to. */
  readonly assetOfContract: (contract: string) => string | undefined;
}
