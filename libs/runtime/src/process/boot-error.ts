/** For people: what happened, what to do. */
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
