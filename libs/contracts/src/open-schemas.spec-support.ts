export interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

export function strictObjects(schema: Schema, path = ''): string[] {
  const here =
    schema.properties !== undefined && schema.additionalProperties === false
      ? [`${path || '(whole)'}: refuses unknown members`]
      : [];
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    strictObjects(member, path === '' ? name : `${path}.${name}`),
  );
  const forms = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((form) => strictObjects(form, path));
  return [
    ...here,
    ...members,
    ...forms,
    ...(schema.items === undefined ? [] : strictObjects(schema.items, `${path}[]`)),
  ];
}
