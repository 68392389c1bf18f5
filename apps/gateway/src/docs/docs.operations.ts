import { type Operations } from '../operations/index.js';
// Not their folders' index files, which load what renders the pages.
import { GUIDES, guidePath } from './guides/guide-list.js';
import { OPERATION_PATHS, SANDBOX_OPERATION_PATHS } from './operation-pages/operation-paths.js';

export const DOCS_OPERATIONS = {
  openapi: {
    method: 'GET',
    paths: ['/openapi.json'],
    key: null,
    money: false,
    offer: null,
    document: {
      tag: 'Reference',
      ids: ['getOpenApi'],
      summary: 'This document',
      description: 'OpenAPI 3.1, made of the rules that judge requests. No key.',
      message: 'The document',
      bare: { type: 'object', required: ['openapi', 'info', 'paths'] },
    },
  },
  docs: {
    method: 'GET',
    paths: [
      '/docs',
      ...GUIDES.map(guidePath),
      ...OPERATION_PATHS,
      '/docs/try',
      '/docs/docs.css',
      '/docs/docs.js',
      '/docs/icon.svg',
      '/docs/search.json',
      '/docs/swagger-ui.css',
      '/docs/swagger-ui-bundle.js',
      '/docs/try.css',
      '/docs/try.js',
    ],
    key: null,
    money: false,
    offer: null,
    document: null,
  },
  docsSandbox: {
    method: 'GET',
    paths: SANDBOX_OPERATION_PATHS,
    key: null,
    money: false,
    offer: null,
    sandboxOnly: true,
    document: null,
  },
} as const satisfies Operations;
