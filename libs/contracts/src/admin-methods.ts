import { z } from 'zod';

import { operation, type InternalApi } from './internal-api.js';

/** One thing that people may have a service's admin part tell or do. */
export interface AdminMethod<A extends readonly unknown[] = readonly unknown[], R = unknown> {
  /** What it is asked with, as a tuple; held against this before it is run, whoever calls. */
  readonly args: z.ZodType<A>;
  /** It changes something: its one argument is an object, with `by` for who has it done. */
  readonly acts: boolean;
  run(...args: A): Promise<R>;
}

/** Everything that people may ask of one service, by name. Nothing of an admin part that is not in its record can be called. */
export type AdminMethods = Readonly<Record<string, AdminMethod>>;

/** What a caller holds of those methods, wherever they run. Dates, bigints, Maps and undefined come through as they are. */
export type AdminCalls<M extends AdminMethods> = {
  readonly [K in keyof M]: M[K] extends AdminMethod<infer A, infer R> ? (...args: A) => Promise<R> : never;
};

/** A service's admin part, open on its tables. */
export interface OpenAdmin<M extends AdminMethods = AdminMethods> {
  readonly methods: M;
  /** Names of migrations that this program knows and the database has not run. */
  missingMigrations(): Promise<string[]>;
  close(): Promise<void>;
}

type Outputs<T extends readonly z.ZodType[]> = { -readonly [K in keyof T]: z.output<T[K]> };

/** With something in it that can be seen. */
const oneLine = (longest: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(longest)
    .regex(/^\P{Cc}*$/u)
    .regex(/[^\p{Default_Ignorable_Code_Point}\p{Cf}\u2800\s]/u);

/** A person's name, as it goes on the record. */
export const personName = oneLine(80);
/** Why, and where that can be seen: one line. */
export const reasonGiven = oneLine(1_000);

/** A partner's id, as columns hold it. */
export const partnerIdGiven = z.int32().positive();

/** A method that changes nothing: `reads([z.int().positive()], (id) => admin part.report(id))`. */
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
 * A method that changes something, asked with one object: `acts({ reason: reasonGiven, keyId: z.int() }, (act) => admin part.revoke(act))`. `by` is always a member
 * of it; a personal credential's own name stands there, whatever the caller wrote.
 */
export function acts<S extends z.ZodRawShape, R>(
  shape: S,
  run: (act: z.output<z.ZodObject<S>> & { by: string }) => Promise<R>,
): AdminMethod<[z.output<z.ZodObject<S>> & { by: string }], R> {
  const args = z.tuple([z.strictObject({ ...shape, by: personName })]);
  return { args: args as unknown as z.ZodType<[z.output<z.ZodObject<S>> & { by: string }]>, acts: true, run };
}

export const ADMIN_OPERATION = 'admin';

/** The one internal operation of operators: the name of a service's method, and its arguments and answer as tagged JSON (libs/http, admin part-codec.ts). */
export const adminApi = {
  service: 'admin',
  operations: {
    /** Errors: not_found (no such admin part or method), invalid_request (arguments that do not fit; too long an answer), forbidden (`by` is another's name), rate_limited (too many wait). */
    [ADMIN_OPERATION]: operation(
      z.object({ service: z.string().max(40), method: z.string().max(80), args: z.array(z.unknown()).max(20) }),
      z.object({ answer: z.unknown() }),
      {
        summary: "Runs one method of a service's admin part, for people",
        errors: {
          not_found: 'no such service or method is at this address',
          invalid_request: 'the arguments do not fit, or the answer is too long',
          forbidden: '`by` is not the name that the credential is of',
          rate_limited: 'too many wait, or its turn came too late: nothing was done',
        },
        idempotent: false,
      },
    ),
  },
} as const satisfies InternalApi;
