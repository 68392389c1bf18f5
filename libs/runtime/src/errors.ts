export interface OutageOptions extends ErrorOptions {
  /** False only if certainly nothing was begun; default true. */
  readonly sent?: boolean;
}

/** The call may have been executed, unless `sent` is false: then it never reached the service. */
export class ServiceUnavailableError extends Error {
  override readonly name = 'ServiceUnavailableError';
  readonly sent: boolean;

  constructor(
    readonly service: string,
    /** The message without the service. */
    readonly reason: string,
    options: OutageOptions = {},
  ) {
    super(`${service}: ${reason}`, options);
    this.sent = options.sent ?? true;
  }
}

/** The call may still be executed, unless `sent` is false. */
export class DeadlineExceededError extends Error {
  override readonly name = 'DeadlineExceededError';
  readonly sent: boolean;

  constructor(
    readonly service: string,
    readonly operation: string,
    options: OutageOptions = {},
  ) {
    super(`${service}.${operation}: no answer before the deadline`, options);
    this.sent = options.sent ?? true;
  }
}

/** Our bug, never a partner's fault. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
}

/** The message names the variable and the broken rule. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}
