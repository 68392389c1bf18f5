import { setImmediate as otherWork } from 'node:timers/promises';

import { html, type Html } from '../../markup/index.js';
import { renderText, type Section } from '../guides/index.js';
import { operationArticle, refsOf } from './operation-article.js';
import { operationsPath } from './operation-paths.js';
import {
  operationsOf,
  type DocumentedOperation,
  type PlacedOperation,
  type PublishedDocument,
} from './published-document.js';
import { fieldsOf, fieldTable, schemaAnchor } from './schema-table.js';

/** The page of one group of operations. */
export interface OperationPage {
  readonly title: string;
  readonly path: string;
  readonly body: Html;
  /** One for each operation. */
  readonly sections: readonly Section[];
}

/** A page for each group. Requests go on between one group and the next. */
export async function operationPages(document: PublishedDocument): Promise<OperationPage[]> {
  const pages: OperationPage[] = [];
  for (const { name, description } of document.tags) {
    await otherWork();
    const operations = operationsOf(document, name);
    pages.push({
      title: name,
      path: operationsPath(name),
      sections: operations.map(sectionOf),
      body: html`<div class="lead">${renderText(description)}</div>
${overview(operations)}
${operations.map((placed) => operationArticle(placed, document))}
${answers(operations, document)}`,
    });
  }
  return pages;
}

function overview(operations: readonly PlacedOperation[]): Html {
  return html`<ul class="overview">
${operations.map(
  ({
    method,
    path,
    operation,
  }) => html`<li><a href="#${operation.operationId}"><span class="verb verb-${method.toLowerCase()}">${method}</span> <code>${path}</code> <span>${operation.summary}</span></a></li>
`,
)}</ul>
`;
}

function sectionOf({ method, path, operation }: PlacedOperation): Section {
  const names = (operation.requestBody?.content['application/json'].schema.anyOf ?? [])
    .concat(operation.requestBody?.content['application/json'].schema ?? [])
    .flatMap((schema) => fieldsOf(schema).map((field) => field.name));
  return {
    id: operation.operationId,
    title: `${method} ${path}`,
    depth: 2,
    text: [`${operation.summary}.`, operation.description.replaceAll('`', ''), ...new Set(names)].join(' '),
  };
}

/** Every schema that the answers of these operations speak of, and those inside of them, each once. */
function answers(operations: readonly PlacedOperation[], document: PublishedDocument): Html {
  const names = [...new Set(operations.flatMap(({ operation }) => answeredBy(operation)))];
  for (const name of names) {
    const schema = document.components.schemas[name];
    if (schema !== undefined) names.push(...refsOf(schema).filter((one) => !names.includes(one)));
  }
  if (names.length === 0) return html``;
  return html`<h2 id="answers"><a class="anchor" href="#answers">What the answers hold</a></h2>
<p>Every answer is <code>{code, message, data}</code>; lists add <code>next_cursor</code>.</p>
${names.map(
  (name) => html`<h3 id="${schemaAnchor(name)}">${name}</h3>
${fieldTable(fieldsOf(document.components.schemas[name] ?? {}), false)}`,
)}`;
}

function answeredBy({ responses }: DocumentedOperation): string[] {
  const answer = responses['200'];
  if (answer === undefined || '$ref' in answer) return [];
  const schema = answer.content?.['application/json'].schema;
  return schema === undefined ? [] : refsOf(schema);
}
