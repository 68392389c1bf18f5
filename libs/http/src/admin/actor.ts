import type { ApprovalView, Role } from '@vuka/contracts';

/** null, in the sandbox alone: whoever holds the data folder, and gives a name in `by`. */
export type OperatorName = string | null;

/** Who asks, and in whose name it is recorded. */
export interface Actor {
  readonly name: OperatorName;
  readonly role: Role;
  /** The second person, where the operation needs one. */
  readonly approvedBy: string | null;
  /** UUID of what is asked: it is done once. */
  readonly operationId: string;
  /** The second person's own, for the service to judge. */
  readonly signature?: string | undefined;
  /** By the sealed key, without admin. */
  readonly isBreakGlass?: true;
}

/** In the place of an answer: nothing was done yet. */
export class WaitsForApproval {
  constructor(readonly approval: ApprovalView) {}
}

/** Somebody whom admin has let in. */
export interface Person extends Actor {
  /** false: the call was meant to ask for something else. */
  covers(service: string, method: string, args: readonly unknown[]): boolean;
}

/** Who may come in. null: nobody that it knows. */
export interface PeopleDoor {
  admit(authorization: string | undefined): Promise<Person | null>;
}

const BEARER = /^Bearer (\S+)$/i;

/** null: there is none. */
export function bearerOf(authorization: string | undefined): string | null {
  return BEARER.exec(authorization ?? '')?.[1] ?? null;
}
