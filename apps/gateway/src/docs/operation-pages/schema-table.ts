import { html, NOTHING, type Html } from '../../markup/index.js';
import { renderText, scrolled } from '../guides/index.js';
import { nameOf, type Schema } from './published-document.js';

export interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** Where the page tells of a schema that has a name. */
export const schemaAnchor = (name: string): string => `schema-${name.toLowerCase()}`;

export function fieldsOf({ properties = {}, required = [] }: Schema): Field[] {
  return Object.entries(properties).map(([name, schema]) => ({ name, schema, required: required.includes(name) }));
}

/** Of fields that are sent (`asks`), or of those that an answer has. */
export function fieldTable(fields: readonly Field[], asks: boolean): Html {
  const rows = fields.map(
    ({
      name,
      schema,
      required,
    }) => html`<tr><td><code>${name}</code>${asks && required ? REQUIRED : NOTHING}</td><td>${typeOf(schema)}</td><td>${renderText(schema.description ?? '')}</td></tr>
`,
  );
  const head = html`<thead><tr><th>field</th><th>type</th><th>meaning</th></tr></thead>`;
  return scrolled(html`${head}<tbody>${rows}</tbody>`.text);
}

const REQUIRED = html` <span class="required">required</span>`;

/** `""` and null mean that a field is not sent: the page says so once. */
const isUnsent = ({ enum: values }: Schema): boolean =>
  values !== undefined && values.every((value) => value === '' || value === null);

/** What a value may be, in few words; the rule itself is in the document and in the field's description. */
function typeOf(schema: Schema): Html {
  const { $ref, anyOf, oneOf, enum: values, items } = schema;
  if ($ref !== undefined) return html`<a href="#${schemaAnchor(nameOf($ref))}">${nameOf($ref)}</a>`;
  const choices = (anyOf ?? oneOf)?.filter((one) => !isUnsent(one));
  if (choices !== undefined) return joined(choices.map(typeOf), ' or ');
  if (schema.const !== undefined) return html`<code>${shown(schema.const)}</code>`;
  if (values !== undefined)
    return joined(
      values.map((value) => html`<code>${shown(value)}</code>`),
      ' ',
    );
  if (items !== undefined) return html`list of ${typeOf(items)}`;
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  return html`${types.join(' or ')}${schema.format === undefined ? '' : `, ${schema.format}`}`;
}

const shown = (value: unknown): string => (typeof value === 'string' && value !== '' ? value : JSON.stringify(value));

export function joined(parts: readonly Html[], between: string): Html {
  return html`${parts.map((part, place) => (place === 0 ? part : html`${between}${part}`))}`;
}
