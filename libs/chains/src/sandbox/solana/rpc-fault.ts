/** JSON-RPC `error`. */
export class RpcFault extends Error {
  override readonly name = 'RpcFault';

  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

export const INVALID_PARAMS = -32602;
export const PREFLIGHT_FAILURE = -32002;
export const SIGNATURE_FAILURE = -32003;
export const BLOCK_NOT_AVAILABLE = -32004;
export const UNSUPPORTED_VERSION = -32015;
export const CONTEXT_NOT_REACHED = -32016;

export type Params = readonly unknown[];
export type Methods = Readonly<Record<string, (params: Params) => unknown>>;

export function invalid(what: string): never {
  throw new RpcFault(INVALID_PARAMS, `Invalid params: ${what}`);
}

export function objectParam(value: unknown): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  return typeof value === 'object' && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : invalid('expected an object');
}

export function textParam(value: unknown, what: string): string {
  return typeof value === 'string' ? value : invalid(`${what} must be a string`);
}

export function countParam(value: unknown, what: string, least: number, most: number): number {
  return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
    ? (value as number)
    : invalid(`${what} must be a whole number from ${String(least)} to ${String(most)}`);
}
