import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';

import { refusals, removals, strictObjects, type Schema } from './compatible-schemas.spec-support.js';
import { EVENTS, TOPICS, checkoutApi, deskApi, gatewayApi, notifierApi, offrampApi, paymentsApi, validationApi, type InternalApi } from './index.js';

/** What a release promised (`node tools/event-samples.mjs`): each service may be a release older or newer than its neighbours. */
interface Contracts {
  readonly topics: Readonly<Record<string, { readonly owner: string; readonly consumers: readonly string[] }>>;
  readonly events: Readonly<Record<string, { readonly topic: string; readonly version: number; readonly data: Schema }>>;
  readonly operations: Readonly<Record<string, { readonly idempotent: boolean; readonly input: Schema; readonly output: Schema }>>;
}

/**
 * What older readers do not read, allowed because every reader is deployed before the writer and not rolled back behind it
 * (docs/operations.md, "Upgrading one service"): the finding as told below, and the release from which on readers read it.
 */
const READERS_FIRST: Readonly<Record<string, string>> = {};

const SAMPLES = fileURLToPath(new URL('../samples/', import.meta.url));
const readJson = (path: string): unknown => JSON.parse(readFileSync(join(SAMPLES, path), 'utf8'));
const releases = (readJson('releases.json') as string[]).filter((release) => existsSync(join(SAMPLES, release, 'contracts.json')));
const APIS: readonly InternalApi[] = [checkoutApi, deskApi, gatewayApi, notifierApi, offrampApi, paymentsApi, validationApi];

const schemaOf = (type: z.ZodType): Schema => z.toJSONSchema(type, { io: 'input' }) as Schema;

const today: Contracts = {
  topics: TOPICS,
  events: Object.fromEntries(Object.entries(EVENTS).map(([name, { topic, version, data }]) => [name, { topic, version, data: schemaOf(data) }])),
  operations: Object.fromEntries(
    APIS.flatMap(({ service, operations }) =>
      Object.entries(operations).map(([name, one]) => [`${service}.${name}`, { idempotent: one.idempotent, input: schemaOf(one.input), output: schemaOf(one.output) }]),
    ),
  ),
};

const named = (what: string, findings: readonly string[]): string[] => findings.map((finding) => `${what} ${finding}`);

/** What breaks a neighbour that is of the release, or what the release's data break here. */
function broken(released: Contracts, now: Contracts): string[] {
  const topics = Object.entries(released.topics).flatMap(([topic, { owner, consumers }]) => {
    const found = now.topics[topic];
    if (found?.owner !== owner) return [`topic ${topic} is gone or another's`];
    return consumers.filter((consumer) => !found.consumers.includes(consumer)).map((consumer) => `topic ${topic} is not read by ${consumer} any more`);
  });
  const events = Object.entries(released.events).flatMap(([name, event]) => {
    const found = now.events[name];
    if (found === undefined) return [`event ${name} is gone`];
    if (found.topic !== event.topic || found.version !== event.version) return [`event ${name} has another topic or version: make it a new event`];
    return named(`event ${name}`, bothWays(event.data, found.data));
  });
  const operations = Object.entries(released.operations).flatMap(([name, operation]) => {
    const found = now.operations[name];
    if (found === undefined) return [`operation ${name} is gone`];
    const repeat = operation.idempotent && !found.idempotent ? [`operation ${name} is repeated by its callers, and may not be any more`] : [];
    return [
      ...repeat,
      ...named(`input of ${name}`, [...refusals(found.input, operation.input), ...refusals(operation.input, found.input).filter((finding) => finding.endsWith('may be missing'))]),
      ...named(`output of ${name}`, bothWays(operation.output, found.output)),
    ];
  });
  return [...topics, ...events, ...operations];
}

/** What is written is read by the release's readers, and what the release wrote is read here; nothing is gone. */
function bothWays(released: Schema, now: Schema): string[] {
  return [
    ...removals(released, now),
    ...refusals(released, now).map((finding) => `(read by the release) ${finding}`),
    ...refusals(now, released).map((finding) => `(read here) ${finding}`),
  ];
}

describe('what services say to each other', () => {
  it('is known of a release at least', () => {
    expect(releases.length).toBeGreaterThan(0);
  });

  it.each(releases)('goes with %s beside it, older or newer', (release) => {
    const findings = broken(readJson(`${release}/contracts.json`) as Contracts, today);
    expect(findings.filter((finding) => !(finding in READERS_FIRST))).toEqual([]);
  });

  it('has no object that refuses what a newer neighbour adds', () => {
    const all = [
      ...Object.entries(today.events).flatMap(([name, { data }]) => named(name, strictObjects(data))),
      ...Object.entries(today.operations).flatMap(([name, { input, output }]) => named(name, [...strictObjects(input), ...strictObjects(output)])),
    ];
    expect(all).toEqual([]);
  });
});

describe('the comparison', () => {
  const before = z.object({ id: z.int(), kind: z.enum(['a', 'b']), note: z.string().optional(), by: z.union([z.object({ code: z.string().max(10) }), z.object({ reference: z.string() })]) });
  const released = contractsOf(before);

  function contractsOf(type: z.ZodType, { idempotent = true, version = 1 } = {}): Contracts {
    const schema = schemaOf(type);
    return { topics: { t: { owner: 'payments', consumers: ['notifier'] } }, events: { e: { topic: 't', version, data: schema } }, operations: { 's.o': { idempotent, input: schema, output: schema } } };
  }

  it.each([
    ['the same', before],
    ['a member more that need not be there', before.extend({ more: z.string().optional() })],
  ])('finds nothing in %s', (_what, now) => {
    expect(broken(released, contractsOf(now))).toEqual([]);
  });

  it.each<[string, z.ZodType, string[]]>([
    ['a member less', before.omit({ note: true }), ['event e note: is gone', 'output of s.o note: is gone']],
    ['a member more that must be there', before.extend({ more: z.string() }), ['event e (read here) more: is needed, and may be missing', 'input of s.o more: is needed, and may be missing', 'output of s.o (read here) more: is needed, and may be missing']],
    ['a member that may be missing now', before.partial({ id: true }), ['event e (read by the release) id: is needed, and may be missing', 'input of s.o id: is needed, and may be missing', 'output of s.o (read by the release) id: is needed, and may be missing']],
    ['a value more', before.extend({ kind: z.enum(['a', 'b', 'c']) }), ['event e (read by the release) kind: may be c, which is not read', 'output of s.o (read by the release) kind: may be c, which is not read']],
    ['a value less', before.extend({ kind: z.enum(['a']) }), ['event e (read here) kind: may be b, which is not read', 'input of s.o kind: may be b, which is not read', 'output of s.o (read here) kind: may be b, which is not read']],
  ])('finds %s', (_what, now, expected) => {
    expect(broken(released, contractsOf(now))).toEqual(expected);
  });

  it.each<[string, z.ZodType]>([
    ['another type', before.extend({ id: z.string() })],
    ['null besides', before.extend({ id: z.int().nullable() })],
    ['a narrower bound inside a form', before.extend({ by: z.union([z.object({ code: z.string().max(9) }), z.object({ reference: z.string() })]) })],
    ['a form less', before.extend({ by: z.object({ code: z.string().max(10) }) })],
    ['another pattern', before.extend({ note: z.string().regex(/^x/).optional() })],
    ['a strict object', z.strictObject({ ...before.shape, more: z.string().optional() }).omit({ note: true })],
  ])('finds %s in events', (_what, now) => {
    expect(broken(released, contractsOf(now)).some((finding) => finding.startsWith('event e'))).toBe(true);
  });

  it('compares members of any name by their names and by what they hold', () => {
    const holding = (names: z.ZodString, held: z.ZodType): Contracts => contractsOf(z.object({ all: z.record(names, held) }));
    const was = holding(z.string().max(10), z.string());
    expect(broken(was, holding(z.string().max(10), z.string()))).toEqual([]);
    expect(broken(was, holding(z.string().max(10), z.int()))).toContain('event e (read here) all{}: may be string, read is integer');
    expect(broken(was, holding(z.string().max(9), z.string()))).toContain('event e (read here) all{name}: maxLength is 10, read is 9');
  });

  it('finds what is no schema: an operation that may not be repeated, a version, a topic, an event', () => {
    expect(broken(released, contractsOf(before, { idempotent: false }))).toEqual(['operation s.o is repeated by its callers, and may not be any more']);
    expect(broken(released, contractsOf(before, { version: 2 }))).toEqual(['event e has another topic or version: make it a new event']);
    expect(broken(released, { topics: {}, events: {}, operations: {} })).toEqual(['topic t is gone or another\'s', 'event e is gone', 'operation s.o is gone']);
  });

  it('finds another default, and nothing in the same one', () => {
    const leftOut = (value: string | null): Contracts => contractsOf(before.extend({ way: z.string().nullable().default(value) }));
    expect(broken(leftOut(null), leftOut(null))).toEqual([]);
    expect(broken(leftOut(null), leftOut('a'))).toContain('input of s.o way: is "a" where it is left out, and was null');
  });

  it('tells strict objects, also within lists', () => {
    expect(strictObjects(schemaOf(z.object({ rows: z.array(z.strictObject({ id: z.int() })) })))).toEqual(['rows[]: refuses unknown members']);
  });
});
