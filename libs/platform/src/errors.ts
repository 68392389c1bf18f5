/** A service is not there, or failed in a way it does not explain. What it was asked may or may not have happened. */
export class ServiceUnavailableError extends Error {
  override readonly name = 'ServiceUnavailableError';

  constructor(
    readonly service: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(`${service}: ${message}`, options);
  }
}

/** A service did not answer before the caller's deadline. What it was asked may still happen. */
export class DeadlineExceededError extends Error {
  override readonly name = 'DeadlineExceededError';

  constructor(
    readonly service: string,
    readonly operation: string,
  ) {
    super(`${service}.${operation}: no answer before the deadline`);
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
