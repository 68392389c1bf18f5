import { html, Html, NOTHING } from '../../markup/index.js';
import { codeBlock, renderText, scrolled } from '../guides/index.js';
import {
  nameOf,
  type DocumentedOperation,
  type Parameter,
  type PlacedOperation,
  type PublishedDocument,
  type Reference,
  type Schema,
} from './published-document.js';
import { fieldsOf, fieldTable, joined, schemaAnchor, type Field } from './schema-table.js';

const KEYS: Readonly<Record<string, string>> = { key: 'consumer key', checkout_key: 'checkout key' };

/** Any operation may have it: told of once, in the guides. */
const OF_ALL = ['Request-Id'];

/** One operation: what it asks for, an example, what it answers, and why it refuses. */
export function operationArticle(placed: PlacedOperation, document: PublishedDocument): Html {
  const { method, path, operation } = placed;
  const parameters = parametersOf(operation, document);
  return html`<section class="operation" aria-labelledby="${operation.operationId}">
<h2 id="${operation.operationId}"><a class="anchor" href="#${operation.operationId}">${operation.summary}</a></h2>
<p class="call"><span class="verb verb-${method.toLowerCase()}">${method}</span> <code>${path}</code> <a class="try" href="/docs/try#/${encodeURIComponent(operation.tags[0] ?? '')}/${operation.operationId}">Try it<span class="unseen">: ${operation.summary}</span></a></p>
<p class="key">${keyNeeded(operation)}</p>
${renderText(operation.description.replace(/\n\nScope of the key: .*$/, ''))}
${parameters.length === 0 ? NOTHING : parameterTable(parameters)}
${bodyOf(operation)}
${examplesOf(placed, parameters)}
${answerOf(operation)}
${refusalsOf(operation, document)}
</section>
`;
}

function keyNeeded({ security }: DocumentedOperation): Html {
  if (security.length === 0) return html`Without a key.`;
  const kinds = security.flatMap((scheme) => Object.keys(scheme)).map((kind) => KEYS[kind] ?? kind);
  const [scope = ''] = Object.values(security[0] ?? {}).flat();
  return html`With your ${kinds.join(' or your ')}, scope <code>${scope}</code>.`;
}

function parametersOf({ parameters }: DocumentedOperation, { components }: PublishedDocument): Parameter[] {
  return parameters
    .map((one) => (isReference(one) ? components.parameters[nameOf(one.$ref)] : one))
    .filter((one): one is Parameter => one !== undefined && !OF_ALL.includes(one.name));
}

const isReference = (one: object): one is Reference => '$ref' in one;

function parameterTable(parameters: readonly Parameter[]): Html {
  const rows = parameters.map(
    (
      one,
    ) => html`<tr><td><code>${one.name}</code></td><td>${one.in}${one.required ? ', required' : ''}</td><td>${renderText(one.description)}</td></tr>
`,
  );
  const head = html`<thead><tr><th>parameter</th><th>in</th><th>meaning</th></tr></thead>`;
  return html`<h3>Parameters</h3>
${scrolled(html`${head}<tbody>${rows}</tbody>`.text)}`;
}

/** Fields that all kinds of a body share stand once, and each kind's own beneath. */
function bodyOf({ requestBody }: DocumentedOperation): Html {
  const schema = requestBody?.content['application/json'].schema;
  if (schema === undefined) return NOTHING;
  const kinds = (schema.anyOf ?? [schema]).map((kind) => ({ title: kind.title ?? 'One way', fields: fieldsOf(kind) }));
  const [first, ...others] = kinds;
  if (first === undefined || kinds.every(({ fields }) => fields.length === 0))
    return html`<h3>Body</h3>
<p>None, or <code>{}</code>.</p>
`;
  const shared = first.fields.filter((field) => others.every(({ fields }) => fields.some((one) => isSame(one, field))));
  const own = kinds.map(({ title, fields }) => ({
    title,
    fields: fields.filter((field) => !shared.some((one) => isSame(one, field))),
  }));
  return html`<h3>Body</h3>
${shared.length === 0 ? NOTHING : fieldTable(shared, true)}${own
    .filter(({ fields }) => fields.length > 0)
    .map(
      ({ title, fields }) => html`<details><summary>${title}</summary>${fieldTable(fields, true)}</details>
`,
    )}`;
}

const isSame = (one: Field, other: Field): boolean => JSON.stringify(one) === JSON.stringify(other);

function examplesOf({ method, path, operation }: PlacedOperation, parameters: readonly Parameter[]): Html {
  const examples = Object.values(operation.requestBody?.content['application/json'].examples ?? {});
  const address = addressOf(path, parameters);
  const call = [`curl -s -X ${method} "$API${address}"`, ...keyHeader(operation)];
  if (examples.length === 0)
    return html`<h3>Example</h3>
${new Html(codeBlock(call.join(NEXT_LINE)))}`;
  return html`<h3>${examples.length === 1 ? 'Example' : 'Examples'}</h3>
${examples.map(({ summary = 'Example', value }, place) => {
  const sent = JSON.stringify(value, null, 2).replaceAll("'", String.raw`'\''`);
  const code = [...call, `-H 'content-type: application/json'`, `-d '${sent}'`].join(NEXT_LINE);
  return html`<details ${place === 0 ? OPEN : NOTHING}><summary>${summary}</summary>${new Html(codeBlock(code))}</details>
`;
})}`;
}

const NEXT_LINE = ' \\\n  ';

/** By the names that the guides give to keys. */
function keyHeader({ security: [scheme] }: DocumentedOperation): string[] {
  if (scheme === undefined) return [];
  return [`-H "x-api-key: ${'checkout_key' in scheme ? '$CHECKOUT' : '$KEY'}"`];
}

const OPEN = new Html('open');

/** With the examples of its parameters in their places. */
function addressOf(path: string, parameters: readonly Parameter[]): string {
  const shown = ({ example, name }: Parameter): string => encodeURIComponent(String(example ?? name.toUpperCase()));
  const filled = parameters.reduce((before, one) => before.replace(`{${one.name}}`, shown(one)), path);
  const query = parameters.filter((one) => one.in === 'query').map((one) => `${one.name}=${shown(one)}`);
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

function answerOf({ responses }: DocumentedOperation): Html {
  const answer = responses['200'];
  if (answer === undefined || isReference(answer)) return NOTHING;
  const data = answer.content?.['application/json'].schema.properties?.['data'];
  const names = data === undefined ? [] : refsOf(data);
  const isList = data?.type === 'array' ? 'a list of ' : '';
  if (names.length === 0)
    return html`<h3>Answer</h3><p>${answer.description}.</p>
`;
  const links = names.map((name) => html`<a href="#${schemaAnchor(name)}">${name}</a>`);
  return html`<h3>Answer</h3><p>${answer.description}: <code>data</code> is ${isList}${joined(links, ' or ')}.</p>
`;
}

/** Names of the schemas that one speaks of itself. */
export function refsOf({ $ref, anyOf = [], oneOf = [], items, properties = {} }: Schema): string[] {
  const inside = [...anyOf, ...oneOf, ...(items === undefined ? [] : [items]), ...Object.values(properties)];
  return [...new Set([...($ref === undefined ? [] : [nameOf($ref)]), ...inside.flatMap(refsOf)])];
}

function refusalsOf({ responses }: DocumentedOperation, { components }: PublishedDocument): Html {
  const rows = Object.entries(responses).flatMap(([status, response]) => {
    const known = isReference(response) ? components.responses[nameOf(response.$ref)] : response;
    const codes = known?.headers?.['Error-Code']?.schema?.enum ?? [];
    return codes.length === 0
      ? []
      : [
          html`<li>${status} ${joined(
            codes.map((code) => html`<code>${String(code)}</code>`),
            ' ',
          )}</li>
`,
        ];
  });
  if (rows.length === 0) return NOTHING;
  return html`<h3>Errors</h3>
<ul class="refusals">${rows}</ul>
<p><a href="/docs/guides/errors">What to do about each</a></p>
`;
}
