import { pino, type ChildLoggerOptions, type DestinationStream, type Logger as PinoLogger } from 'pino';

import { readableLine } from './readable-line.js';

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** Ids and codes as fields, constant message. */
export type Logger = PinoLogger;

export interface LoggerOptions {
  readonly level?: LogLevel;
  /** Default stdout: JSON, or text on a terminal. */
  readonly destination?: DestinationStream;
}

/** Never written, at any depth. */
const SECRET_FIELD = /(key|secret|password|authorization|cookie|token|credential|signature)s?$/i;
/** Only the last four characters are written. */
const PERSONAL_FIELD = /^(account_number|accountNumber|shortcode|phone|phone_number|msisdn|recipient|destination)$/;

const SECRET_TEXT = /(?<![A-Za-z0-9])(?:whsec|sk|ck|pk|consumer|checkout)_[A-Za-z0-9+/=_-]{8,}/g;
const LONG_NUMBER = /(?<![\w-])\+?\d{9,}(?![\w-])/g;
const DEEPEST = 4;
const LONGEST_LIST = 20;

/** Hides short texts whole. */
export function maskTail(text: string): string {
  return text.length <= 6 ? '***' : `***${text.slice(-4)}`;
}

/** Hides keys, account and phone numbers. */
export function maskText(text: string): string {
  return text.replace(SECRET_TEXT, '[redacted]').replace(LONG_NUMBER, maskTail);
}

export function createLogger(service: string, options: LoggerOptions = {}): Logger {
  const terminal = { write: (line: string) => void process.stdout.write(readableLine(line)) };
  const destination = options.destination ?? (process.stdout.isTTY ? terminal : pino.destination(1));
  const logger = pino(
    {
      level: options.level ?? 'info',
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => redact(fields, 0) as Record<string, unknown>,
      },
      // pino would write every property.
      serializers: { err: (described: unknown) => described },
      hooks: {
        logMethod(args, method) {
          const [first] = args as unknown[];
          const parts: unknown[] = first instanceof Error && args.length === 1 ? [{ err: first }, first.message] : args;
          const masked = parts.map((part) => (typeof part === 'string' ? maskText(part) : part));
          method.apply(this, masked as Parameters<typeof method>);
        },
      },
    },
    destination,
  );
  // pino's formatter skips fields of a child.
  const { child } = logger as unknown as {
    child: (this: Logger, fields: object, options?: ChildLoggerOptions) => Logger;
  };
  return Object.assign(logger, {
    child(this: Logger, fields: object, options?: ChildLoggerOptions) {
      return child.call(this, redact(fields, 0) as object, options);
    },
  });
}

function redact(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (value instanceof Error) return describeError(value, depth);
  if (ArrayBuffer.isView(value)) return '[binary]';
  if (depth >= DEEPEST) return '[deep]';
  if (Array.isArray(value)) return value.slice(0, LONGEST_LIST).map((item) => redact(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      if (field === undefined || field === null) return [name, field];
      if (SECRET_FIELD.test(name)) return [name, '[redacted]'];
      if (PERSONAL_FIELD.test(name)) return [name, typeof field === 'string' ? maskTail(field) : '[redacted]'];
      return [name, redact(field, depth + 1)];
    }),
  );
}

/** Driver errors have statement, parameters and row. */
function describeError(error: Error, depth: number): Record<string, unknown> {
  const { code, constraint, table } = error as { code?: unknown; constraint?: unknown; table?: unknown };
  return {
    type: error.name,
    message: maskText(error.message),
    ...(code !== undefined && { code }),
    ...(constraint !== undefined && { constraint }),
    ...(table !== undefined && { table }),
    stack: maskText(error.stack ?? ''),
    ...(error.cause instanceof Error && depth < DEEPEST && { cause: describeError(error.cause, depth + 1) }),
  };
}

/** Nest's module and route messages become debug. */
export function nestLogger(log: Logger): {
  log(message: unknown): void;
  error(message: unknown): void;
  warn(message: unknown): void;
} {
  const text = (message: unknown): string => (typeof message === 'string' ? message : String(message));
  return {
    log: (message) => log.debug(text(message)),
    warn: (message) => log.warn(text(message)),
    error: (message) => (message instanceof Error ? log.error({ err: message }, 'nest') : log.error(text(message))),
  };
}
