/** A start that cannot go on, for the person who typed the command: what happened, and what to do about it. */
export class BootError extends Error {
  override readonly name = 'BootError';

  constructor(
    message: string,
    readonly advice: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
