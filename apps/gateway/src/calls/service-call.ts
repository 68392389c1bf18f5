import { fail, type Problem, type Result } from '@vuka/domain';
import { DeadlineExceededError, type Logger, ServiceUnavailableError } from '@vuka/runtime';

/** Whether the outcome is unknown. */
export function isOpenOutcome(problem: Problem): boolean {
  return problem.code === 'service_unavailable' || problem.code === 'outcome_unknown';
}

function logFailure(log: Logger, error: unknown): void {
  if (error instanceof ServiceUnavailableError || error instanceof DeadlineExceededError) {
    log.warn({ err: error }, 'a service did not answer');
  } else {
    log.error({ err: error }, 'a call to a service failed');
  }
}

const NOTHING_CHANGED =
  'A service that this answer needs is not available at the moment. Nothing was changed; try again later';

/** For calls that change nothing, unless `message` says otherwise. Outages become service_unavailable. */
export async function read<T>(
  log: Logger,
  call: () => Promise<Result<T>>,
  message = NOTHING_CHANGED,
): Promise<Result<T>> {
  try {
    return await call();
  } catch (error) {
    logFailure(log, error);
    return fail({ code: 'service_unavailable', message });
  }
}

export interface MoneyCall {
  readonly currency: string;
  readonly transactionCode: string;
  /** What makes a repeat safe, as in `Send the same request again with …`. */
  readonly repeatWith: string;
}

/**
 * Moves money under `transactionCode`. A lost answer proves nothing, so the problem says how to find out and never
 * that nothing happened. It first says to repeat: a delayed commit may still be tried for seconds, and until then a
 * status query finds nothing. Only a call that certainly was not sent is reported as no change. An earlier request
 * under the same key or reference may still have been accepted.
 */
export async function commit<T>(log: Logger, money: MoneyCall, call: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await call();
  } catch (error) {
    logFailure(log, error);
    const { code, message } = wasNotSent(error) ? notAsked(money) : leftOpen(error, money);
    return fail({ code, message, transactionCode: money.transactionCode });
  }
}

function wasNotSent(error: unknown): boolean {
  return (error instanceof ServiceUnavailableError || error instanceof DeadlineExceededError) && !error.sent;
}

function notAsked({ repeatWith }: MoneyCall): Pick<Problem, 'code' | 'message'> {
  const message =
    'The service that accepts transactions could not be reached, and this request changed nothing. ' +
    `Send it again with ${repeatWith}: it never pays twice`;
  return { code: 'service_unavailable', message };
}

function leftOpen(
  error: unknown,
  { currency, transactionCode, repeatWith }: MoneyCall,
): Pick<Problem, 'code' | 'message'> {
  const late = error instanceof DeadlineExceededError;
  const what = late
    ? 'The transaction was not confirmed in time'
    : 'The service that accepts transactions is not available';
  const status = `POST /${currency.toLowerCase()}/status with transaction_code ${transactionCode}`;
  const message =
    `${what}, so its outcome is open. Send the same request again with ${repeatWith}: it never pays twice. ` +
    `Or ask ${status}; a 404 within the first minute is no proof`;
  return { code: late ? 'outcome_unknown' : 'service_unavailable', message };
}

/**
 * A deposit goes back once, so after an unknown outcome the caller may repeat. Only an unsent call is reported as no
 * change.
 */
export async function commitRefund<T>(log: Logger, call: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await call();
  } catch (error) {
    logFailure(log, error);
    const again = 'Send the same request again: a deposit never goes back twice';
    if (wasNotSent(error))
      return fail({
        code: 'service_unavailable',
        message: `The service that accepts refunds could not be reached, and this request changed nothing. ${again}`,
      });
    return fail({
      code: error instanceof DeadlineExceededError ? 'outcome_unknown' : 'service_unavailable',
      message: `The refund was not confirmed, so its outcome is open. ${again}`,
    });
  }
}

/**
 * One order_id is one order, so after an unknown outcome the caller may repeat, or ask for the status. Only an unsent
 * call is reported as no change.
 */
export async function commitOrder<T>(log: Logger, orderId: string, call: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await call();
  } catch (error) {
    logFailure(log, error);
    const again = 'Send the same request again: one order_id makes one order';
    if (wasNotSent(error))
      return fail({
        code: 'service_unavailable',
        message: `The service that makes orders could not be reached, and this request changed nothing. ${again}`,
      });
    const ask = `Or ask POST /v1/checkout/status with order_id ${orderId}; a 404 within the first minute is no proof`;
    return fail({
      code: error instanceof DeadlineExceededError ? 'outcome_unknown' : 'service_unavailable',
      message: `The order was not confirmed, so its outcome is open. ${again}. ${ask}`,
    });
  }
}
