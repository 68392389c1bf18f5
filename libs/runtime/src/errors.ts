export interface OutageOptions extends ErrorOptions {
  /** False only where nothing was begun for certain; true, which claims nothing, unless told otherwise. */
  readonly sent?: boolean;
}

/**
 * A service is not there, or failed in a way it does not explain. What it was asked may or may not have happened, unless
 * `sent` is false: then the call surely never reached it, and nothing was done.
 */
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

/** A service did not answer before the caller's deadline. What it was asked may still happen, unless `sent` is false: it was never asked. */
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

/** Caller and service disagree about an operation's shape: a bug of ours, never a partner's fault. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
}

/** A setting that cannot be used; the message names the variable and the rule it breaks. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}
