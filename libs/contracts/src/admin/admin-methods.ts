import { z } from 'zod';

import { operation, type InternalApi } from '../internal-api.js';

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

/** What a person may do, the least first: each role may all that those before it may. */
export const ROLES = ['viewer', 'support', 'money', 'admin'] as const;
export type Role = (typeof ROLES)[number];

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

/** What was asked, and waits for a second person. */
export const approvalView = z.object({
  /** `a12` */
  id: z.string(),
  /** `gateway.issueKey` */
  operation: z.string(),
  /** Tagged JSON, and the id under which it is done: what the second person signs. */
  args: z.array(z.unknown()),
  operation_id: z.uuid(),
  /** What it does, and what it posts. */
  says: z.string(),
  asked_by: z.string(),
  asked_at: z.string(),
  expires_at: z.string(),
  /** `approved`: agreed, and not known to be done. `refused`: the service did not do it. */
  state: z.enum(['waiting', 'approved', 'done', 'refused', 'declined', 'expired']),
  decided_by: z.string().nullable(),
  decided_at: z.string().nullable(),
  /** Why it was declined, or what the service said. */
  detail: z.string().nullable(),
  /** Of the people whom admin knows. [] : nobody can, yet. */
  can_approve: z.array(z.string()),
});
export type ApprovalView = z.infer<typeof approvalView>;

export const ADMIN_OPERATION = 'admin';

/** Arguments and answer are tagged JSON (libs/http, admin-codec.ts). */
export const adminApi = {
  service: 'admin',
  operations: {
    /**
     * Errors: not_found (no such method), invalid_request (bad arguments, or the answer is too long), forbidden
     * (`by` is another person), reference_reused (done before), rate_limited (queue full).
     */
    [ADMIN_OPERATION]: operation(
      z.object({
        service: z.string().max(40),
        method: z.string().max(80),
        args: z.array(z.unknown()).max(20),
        signature: z.string().max(4_000).optional(),
      }),
      z.object({ answer: z.unknown(), approval: approvalView.optional() }),
      {
        summary: "Runs one method of a service's admin API, for people",
        errors: {
          not_found: 'no such service or method is at this address',
          invalid_request: 'the arguments do not fit, or the answer is too long',
          forbidden: '`by` is not the name that the credential is of, or the role may not do it',
          reference_reused: 'the operation was done before, and is not done again',
          rate_limited: 'too many wait, or its turn came too late: nothing was done',
        },
        callers: [],
        idempotent: false,
      },
    ),
  },
} as const satisfies InternalApi;
