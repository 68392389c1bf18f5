import { z } from 'zod';

import { operation, type InternalApi } from './internal-api.js';

export interface AdminMethod<A extends readonly unknown[] = readonly unknown[], R = unknown> {
  /** Every call is validated against it. */
  readonly args: z.ZodType<A>;
  /** It changes something. Its one argument is an object; `by` names the person. */
  readonly acts: boolean;
  run(...args: A): Promise<R>;
}

/** A service's only callable admin methods. */
export type AdminMethods = Readonly<Record<string, AdminMethod>>;

/** Dates, bigints, Maps and undefined survive the transport. */
export type AdminCalls<M extends AdminMethods> = {
  readonly [K in keyof M]: M[K] extends AdminMethod<infer A, infer R> ? (...args: A) => Promise<R> : never;
};

export interface OpenAdmin<M extends AdminMethods = AdminMethods> {
  readonly methods: M;
  missingMigrations(): Promise<string[]>;
  close(): Promise<void>;
}

type Outputs<T extends readonly z.ZodType[]> = { -readonly [K in keyof T]: z.output<T[K]> };

/** At least one visible character. */
const oneLine = (longest: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(longest)
    .regex(/^\P{Cc}*$/u)
    .regex(/[^\p{Default_Ignorable_Code_Point}\p{Cf}\u2800\s]/u);

export const personName = oneLine(80);
/** Why, and where the evidence is. */
export const reasonGiven = oneLine(1_000);

export const partnerIdGiven = z.int32().positive();

/** Changes nothing: `reads([z.int().positive()], (id) => admin.report(id))`. */
export function reads<const T extends readonly [] | readonly [z.ZodType, ...z.ZodType[]], R>(
  args: T,
  run: (...args: Outputs<T>) => Promise<R>,
): AdminMethod<Outputs<T>, R> {
  return {
    args: z.tuple(args as readonly [z.ZodType, ...z.ZodType[]]) as unknown as z.ZodType<Outputs<T>>,
    acts: false,
    run,
  };
}

/**
 * Changes something: `acts({ reason: reasonGiven, keyId: z.int() }, (act) => admin.revoke(act))`.
 * `by` is always added; for a personal credential it is that person's name, whatever the caller sent.
 */
export function acts<S extends z.ZodRawShape, R>(
  shape: S,
  run: (act: z.output<z.ZodObject<S>> & { by: string }) => Promise<R>,
): AdminMethod<[z.output<z.ZodObject<S>> & { by: string }], R> {
  const args = z.tuple([z.strictObject({ ...shape, by: personName })]);
  return { args: args as unknown as z.ZodType<[z.output<z.ZodObject<S>> & { by: string }]>, acts: true, run };
}

export const ADMIN_OPERATION = 'admin';

/** Arguments and answer are tagged JSON (libs/http, admin-codec.ts). */
export const adminApi = {
  service: 'admin',
  operations: {
    /**
     * Errors: not_found (no such method), invalid_request (bad arguments, or the answer is too long), forbidden
     * (`by` is another person), rate_limited (queue full).
     */
    [ADMIN_OPERATION]: operation(
      z.object({ service: z.string().max(40), method: z.string().max(80), args: z.array(z.unknown()).max(20) }),
      z.object({ answer: z.unknown() }),
      {
        summary: "Runs one method of a service's admin API, for people",
        errors: {
          not_found: 'no such service or method is at this address',
          invalid_request: 'the arguments do not fit, or the answer is too long',
          forbidden: '`by` is not the name that the credential is of',
          rate_limited: 'too many wait, or its turn came too late: nothing was done',
        },
        callers: [],
        idempotent: false,
      },
    ),
  },
} as const satisfies InternalApi;
