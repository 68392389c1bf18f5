/**
 * The connection was lost while COMMIT was under way: the work may be there or not. Whoever gets this looks
 * it up by its unique reference before doing it again.
 */
export class CommitOutcomeUnknownError extends Error {
  override readonly name = 'CommitOutcomeUnknownError';

  constructor(cause: unknown) {
    super('the connection was lost during COMMIT, the outcome is not known', { cause });
  }
}

/** SQLSTATE classes and codes that say the server or the way to it is gone or refuses everybody. */
const CONNECTION_STATES = new Set(['57P01', '57P02', '57P03', '57P05', '25P03', '25P04', '53300']);
const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** How pg begins its words about a lost connection, to which it gives no code. */
const CONNECTION_MESSAGES = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Client has encountered a connection error',
  'Client was closed',
  'Query read timeout',
  'Cannot use a pool after calling end',
];

/** Deadlock, serialization failure, lock timeout: the same transaction may well pass when run again. */
const TRANSIENT_STATES = new Set(['40P01', '40001', '55P03']);

/** Insufficient resources (a full disk), operator intervention (shut down, cancelled), errors outside PostgreSQL (a broken disk). */
const OUTAGE_CLASSES = new Set(['53', '57', '58']);
/** A server that takes no writes, as a standby does until it is promoted. */
const READ_ONLY = '25006';

/** The SQLSTATE (or system error code) of an error of the driver, also where TypeORM wrapped it. */
function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** `constraint`: only a violation of that one. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (codeOf(error) !== '23505') return false;
  return constraint === undefined || (error as { constraint?: string }).constraint === constraint;
}

/** The statement may or may not have run: the database was not reached, or the connection to it was lost. */
export function isConnectionError(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined) return code.startsWith('08') || CONNECTION_STATES.has(code) || CONNECTION_CODES.has(code);
  if (error instanceof AggregateError) return error.errors.some(isConnectionError);
  return error instanceof Error && CONNECTION_MESSAGES.some((words) => error.message.startsWith(words));
}

/** The transaction was rolled back for a reason that passes by itself. */
export function isTransientError(error: unknown): boolean {
  return TRANSIENT_STATES.has(codeOf(error) ?? '');
}

/**
 * The database cannot do this now, whoever asks and whatever for: not reached, read-only, out of space, stopped, in a
 * deadlock, out of time. Says nothing against the work itself; a lost answer to COMMIT is not among these.
 */
export function isOutage(error: unknown): boolean {
  if (isConnectionError(error) || isTransientError(error)) return true;
  const code = codeOf(error);
  // A SQLSTATE has five characters; the errors of Node and its libraries have longer codes.
  return code !== undefined && (code === READ_ONLY || (code.length === 5 && OUTAGE_CLASSES.has(code.slice(0, 2))));
}

/** The statement ran out of its time or was cancelled: the server's trouble or the statement's own, nobody can tell. */
export function isCancelled(error: unknown): boolean {
  return codeOf(error) === '57014';
}
