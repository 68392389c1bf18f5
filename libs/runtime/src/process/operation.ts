import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

/** What a person asked for, while it is carried out. */
export interface Operation {
  /** UUID. Whatever it changes is committed once under this id. */
  readonly id: string;
  readonly role: string;
  /** The second person, where the operation needs one. */
  readonly approvedBy: string | null;
}

export interface RunningOperation extends Operation {
  /** New at each try, so that a try is told from an earlier one of the same id. */
  readonly run: string;
}

/** Thrown where an act is recorded: this operation was done before, and this try is rolled back. */
export class OperationDoneError extends Error {
  override readonly name = 'OperationDoneError';

  constructor(readonly operationId: string) {
    super(`operation ${operationId} was done before`);
  }
}

const running = new AsyncLocalStorage<RunningOperation>();

export function duringOperation<T>(operation: Operation, work: () => Promise<T>): Promise<T> {
  return running.run({ ...operation, run: randomUUID() }, work);
}

/** undefined: nobody asked for it; the service does it by itself. */
export function currentOperation(): RunningOperation | undefined {
  return running.getStore();
}
