/**
 * Connection lost during COMMIT: the work may be stored. Look it up by its unique reference before repeating
 * it.
 */
export class CommitOutcomeUnknownError extends Error {
  override readonly name = 'CommitOutcomeUnknownError';

  constructor(cause: unknown) {
    super('the connection was lost during COMMIT, the outcome is not known', { cause });
  }
}

/** The server is gone, unreachable or refuses everybody. */
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
/** pg gives these errors no code. */
const CONNECTION_MESSAGES = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Client has encountered a connection error',
  'Client was closed',
  'Query read timeout',
  'Cannot use a pool after calling end',
];

/** Deadlock, serialization failure, lock timeout: a retry may succeed. */
const TRANSIENT_STATES = new Set(['40P01', '40001', '55P03']);

/** Insufficient resources, operator intervention, system errors. */
const OUTAGE_CLASSES = new Set(['53', '57', '58']);
/** For example a standby before its promotion. */
const READ_ONLY = '25006';

/** Also if TypeORM wrapped it. */
function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** `constraint`: only a violation of that one. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (codeOf(error) !== '23505') return false;
  return constraint === undefined || (error as { constraint?: string }).constraint === constraint;
}

/** The statement may or may not have run. */
export function isConnectionError(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined) return code.startsWith('08') || CONNECTION_STATES.has(code) || CONNECTION_CODES.has(code);
  if (error instanceof AggregateError) return error.errors.some(isConnectionError);
  return error instanceof Error && CONNECTION_MESSAGES.some((words) => error.message.startsWith(words));
}

/** Rolled back; a retry may succeed. */
export function isTransientError(error: unknown): boolean {
  return TRANSIENT_STATES.has(codeOf(error) ?? '');
}

/** The database cannot work now, whatever the statement. Excludes a lost answer to COMMIT. */
export function isOutage(error: unknown): boolean {
  if (isConnectionError(error) || isTransientError(error)) return true;
  const code = codeOf(error);
  // SQLSTATEs have five characters; Node's codes are longer.
  return code !== undefined && (code === READ_ONLY || (code.length === 5 && OUTAGE_CLASSES.has(code.slice(0, 2))));
}

/** Timed out or cancelled; the cause may be the server or the statement. */
export function isCancelled(error: unknown): boolean {
  return codeOf(error) === '57014';
}
