import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import type { Currencies, Currency } from '@vuka/domain';

import { PublishedFile, type PublishedFiles } from '../http/index.js';
import { docsPage, ICON, SCRIPT } from './docs-page.js';
import { STYLE } from './docs-style.js';
import { openApiDocument } from '../openapi/index.js';
import type { JsonSchema, OperationTable } from '../operations/index.js';

const require = createRequire(import.meta.url);

/** From the installed package: the page loads nothing from other hosts. */
const ofSwaggerUi = (type: string, name: string): PublishedFile =>
  new PublishedFile(type, readFileSync(require.resolve(`swagger-ui-dist/${name}`)));
const ofText = (type: string, text: string): PublishedFile => new PublishedFile(type, Buffer.from(text));

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

export const DOCS_FILES = Symbol('the files of the documentation');

export function docsFilesFor(table: OperationTable, currencies: Currencies, sandbox: boolean): PublishedFiles {
  return docsFiles(
    openApiDocument({ table, sandbox, currencies: Object.values<Currency>(currencies), today: new Date() }),
    sandbox,
  );
}

export function docsFiles(document: JsonSchema, sandbox: boolean): PublishedFiles {
  const assets = new Map([
    ['/docs/swagger-ui.css', ofSwaggerUi(CSS, 'swagger-ui.css')],
    ['/docs/swagger-ui-bundle.js', ofSwaggerUi(JAVASCRIPT, 'swagger-ui-bundle.js')],
    ['/docs/docs.css', ofText(CSS, STYLE)],
    ['/docs/docs.js', ofText(JAVASCRIPT, SCRIPT)],
    ['/docs/icon.svg', ofText('image/svg+xml', ICON)],
  ]);
  // With the version in the address, browsers may cache a file for good.
  const versioned = (path: string): string => `${path}?v=${assets.get(path)?.version ?? ''}`;
  return new Map([
    ...assets,
    ['/docs', ofText('text/html; charset=utf-8', docsPage(versioned, sandbox))],
    ['/openapi.json', ofText('application/json; charset=utf-8', JSON.stringify(document))],
  ]);
}
