import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { PublishedFile, type PublishedFiles } from '../http/index.js';
import type { JsonSchema } from '../operations/index.js';
import { readGuides } from './guides/index.js';
import { ICON } from './icon.js';
import { asPublished, operationPages } from './operation-pages/index.js';
import { SCRIPT } from './page/docs-script.js';
import { STYLE } from './page/docs-style.js';
import type { Surroundings } from './page/page-shell.js';
import { TRY_PATH, TRY_SCRIPT, tryPage } from './page/try-page.js';
import { TRY_STYLE } from './page/try-style.js';
import { searchIndex } from './search-index.js';
import { sitePages } from './site-pages.js';

const require = createRequire(import.meta.url);

/** From the installed package: the page asks nobody but us for anything. */
const ofSwaggerUi = (type: string, name: string): PublishedFile =>
  new PublishedFile(type, readFileSync(require.resolve(`swagger-ui-dist/${name}`)));
const ofText = (type: string, text: string): PublishedFile => new PublishedFile(type, Buffer.from(text));

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
const HTML_TYPE = 'text/html; charset=utf-8';

/** Every page of the site and every file that the pages name, by path; and the document itself. */
export async function docsFiles(document: JsonSchema, sandbox: boolean): Promise<PublishedFiles> {
  const guides = await readGuides();
  const operations = await operationPages(asPublished(document));
  const assets = new Map([
    ['/docs/swagger-ui.css', ofSwaggerUi(CSS, 'swagger-ui.css')],
    ['/docs/swagger-ui-bundle.js', ofSwaggerUi(JAVASCRIPT, 'swagger-ui-bundle.js')],
    ['/docs/docs.css', ofText(CSS, STYLE)],
    ['/docs/docs.js', ofText(JAVASCRIPT, SCRIPT)],
    ['/docs/try.css', ofText(CSS, TRY_STYLE)],
    ['/docs/try.js', ofText(JAVASCRIPT, TRY_SCRIPT)],
    ['/docs/search.json', ofText(JSON_TYPE, JSON.stringify(searchIndex(guides, operations)))],
    ['/docs/icon.svg', ofText('image/svg+xml', ICON)],
  ]);
  const surroundings: Surroundings = {
    // The version in its address lets a browser keep a file for good, and fetch the next build's.
    fileAt: (name) => `/docs/${name}?v=${assets.get(`/docs/${name}`)?.version ?? ''}`,
    sandbox,
    operations: operations.map(({ title, path }) => ({ title, path })),
  };
  const pages = sitePages(guides, operations, surroundings);
  return new Map([
    ...assets,
    ...[...pages, [TRY_PATH, tryPage(surroundings)] as const].map(
      ([path, text]) => [path, ofText(HTML_TYPE, text)] as const,
    ),
    ['/openapi.json', ofText(JSON_TYPE, JSON.stringify(document))],
  ]);
}
