/** The part of JSON Schema that z.toJSONSchema makes of our contracts. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  /** Of an object whose members have any names. */
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly default?: unknown;
}

const LEAST = ['minLength', 'minimum', 'exclusiveMinimum', 'minItems'] as const;
const MOST = ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems'] as const;
const KNOWN = new Set<string>([
  '$schema', 'type', 'properties', 'required', 'additionalProperties', 'propertyNames', 'items', 'anyOf', 'oneOf', 'enum', 'const', 'pattern', 'format', 'default', ...LEAST, ...MOST,
]);

/**
 * Why a reader would refuse something that a writer may send: one sentence each, none where it reads all of it. Members that only
 * the writer knows are no reason, for they are passed over; a reader that refuses unknown members is one.
 */
export function refusals(reader: Schema, writer: Schema, path = ''): string[] {
  const at = path === '' ? '(whole)' : path;
  const foreign = [...Object.keys(reader), ...Object.keys(writer)].filter((keyword) => !KNOWN.has(keyword));
  if (foreign.length > 0) return [`${at}: ${foreign.join(', ')} is not compared here yet`];
  const writers = writer.anyOf ?? writer.oneOf;
  if (writers !== undefined) return [...otherDefault(reader, writer, at), ...writers.flatMap((branch) => refusals(reader, branch, path))];
  const readers = reader.anyOf ?? reader.oneOf;
  if (readers !== undefined) return refusalsByAll(readers, writer, path);
  return [
    ...otherDefault(reader, writer, at),
    ...refusedTypes(reader, writer, at),
    ...refusedValues(reader, writer, at),
    ...refusedBounds(reader, writer, at),
    ...refusedMembers(reader, writer, path),
    ...(reader.items === undefined ? [] : refusals(reader.items, writer.items ?? {}, `${path}[]`)),
    ...(reader.propertyNames === undefined ? [] : refusals(reader.propertyNames, writer.propertyNames ?? ANY_NAME, `${path}{name}`)),
    ...(typeof reader.additionalProperties === 'object' ? refusals(reader.additionalProperties, membersOf(writer), `${path}{}`) : []),
  ];
}

const ANY_NAME: Schema = { type: 'string' };

/** Of an object whose members have any names; {}: of any kind. */
const membersOf = ({ additionalProperties }: Schema): Schema => (typeof additionalProperties === 'object' ? additionalProperties : {});

/** What is left out would mean one thing here and another there. That it may be left out at all is `required`'s to say. */
function otherDefault(reader: Schema, writer: Schema, at: string): string[] {
  const differ = reader.default !== undefined && writer.default !== undefined && JSON.stringify(reader.default) !== JSON.stringify(writer.default);
  return differ ? [`${at}: is ${JSON.stringify(reader.default)} where it is left out, and was ${JSON.stringify(writer.default)}`] : [];
}

/** What was there and is not any more, whether or not somebody needed it. */
export function removals(before: Schema, after: Schema, path = ''): string[] {
  const was = branchesOf(before);
  const is = branchesOf(after);
  if (was.length !== is.length && is.length < was.length) return [`${path || '(whole)'}: had ${was.length} forms, has ${is.length}`];
  return was.flatMap((form, place) => {
    const now = is.find((one) => samePlace(one, form)) ?? is[place] ?? {};
    const members = Object.entries(form.properties ?? {}).flatMap(([name, member]) => {
      const below = path === '' ? name : `${path}.${name}`;
      const found = now.properties?.[name];
      return found === undefined ? [`${below}: is gone`] : removals(member, found, below);
    });
    return [...members, ...(form.items === undefined ? [] : removals(form.items, now.items ?? {}, `${path}[]`))];
  });
}

/** Objects that refuse members they do not know: what a newer neighbour adds would break them. */
export function strictObjects(schema: Schema, path = ''): string[] {
  const here = schema.properties !== undefined && schema.additionalProperties === false ? [`${path || '(whole)'}: refuses unknown members`] : [];
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => strictObjects(member, path === '' ? name : `${path}.${name}`));
  const forms = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((form) => strictObjects(form, path));
  return [...here, ...members, ...forms, ...(schema.items === undefined ? [] : strictObjects(schema.items, `${path}[]`))];
}

const branchesOf = (schema: Schema): readonly Schema[] => schema.anyOf ?? schema.oneOf ?? [schema];

/** The same form of a union: its literal members say the same. */
function samePlace(one: Schema, other: Schema): boolean {
  const literals = (schema: Schema): string =>
    JSON.stringify(Object.entries(schema.properties ?? {}).flatMap(([name, member]) => (member.const === undefined ? [] : [[name, member.const]])));
  const kinds = (schema: Schema): string => JSON.stringify([schema.type, Object.keys(schema.properties ?? {}).sort()]);
  return literals(one) === literals(other) && (literals(one) !== '[]' || kinds(one) === kinds(other));
}

/** Of a union: the reasons of the form that comes nearest. */
function refusalsByAll(readers: readonly Schema[], writer: Schema, path: string): string[] {
  const reasons = readers.map((form) => refusals(form, writer, path)).sort((one, other) => one.length - other.length);
  return reasons[0] ?? [];
}

function refusedTypes(reader: Schema, writer: Schema, at: string): string[] {
  if (reader.type === undefined) return [];
  const readable = new Set([reader.type].flat());
  const written = writer.type === undefined ? ['anything'] : [writer.type].flat();
  const refused = written.filter((type) => !readable.has(type) && !(type === 'integer' && readable.has('number')));
  return refused.map((type) => `${at}: may be ${type}, read is ${[...readable].join(' or ')}`);
}

function refusedValues(reader: Schema, writer: Schema, at: string): string[] {
  const readable = valuesOf(reader);
  if (readable === undefined) return [];
  const written = valuesOf(writer);
  if (written === undefined) return [`${at}: may be any value, read are ${readable.map(String).join(', ')}`];
  return written.filter((value) => !readable.includes(value)).map((value) => `${at}: may be ${String(value)}, which is not read`);
}

function valuesOf(schema: Schema): readonly unknown[] | undefined {
  return schema.const === undefined ? schema.enum : [schema.const];
}

function refusedBounds(reader: Schema, writer: Schema, at: string): string[] {
  const [of, by] = [reader, writer] as Readonly<Record<string, unknown>>[] as [Record<string, number | undefined>, Record<string, number | undefined>];
  // A list of values has no bounds of its own, and a value needs none.
  if (valuesOf(writer) !== undefined) return [];
  const least = LEAST.filter((bound) => of[bound] !== undefined && (by[bound] === undefined || by[bound] < of[bound]));
  const most = MOST.filter((bound) => of[bound] !== undefined && (by[bound] === undefined || by[bound] > of[bound]));
  const forms = (['pattern', 'format'] as const).filter((rule) => reader[rule] !== undefined && reader[rule] !== writer[rule]);
  return [...[...least, ...most].map((bound) => `${at}: ${bound} is ${by[bound] ?? 'none'}, read is ${of[bound]}`), ...forms.map((rule) => `${at}: ${rule} is another one`)];
}

function refusedMembers(reader: Schema, writer: Schema, path: string): string[] {
  if (reader.properties === undefined) return [];
  const below = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const missing = (reader.required ?? []).filter((name) => !(writer.required ?? []).includes(name)).map((name) => `${below(name)}: is needed, and may be missing`);
  const members = Object.entries(reader.properties).flatMap(([name, member]) => {
    const sent = writer.properties?.[name];
    return sent === undefined ? [] : refusals(member, sent, below(name));
  });
  const unknown = Object.keys(writer.properties ?? {}).filter((name) => reader.additionalProperties === false && !(name in (reader.properties ?? {})));
  return [...missing, ...members, ...unknown.map((name) => `${below(name)}: is refused, for it is unknown`)];
}
