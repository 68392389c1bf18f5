import { type Operations } from '../operations/index.js';

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
      '/docs/docs.css',
      '/docs/docs.js',
      '/docs/icon.svg',
      '/docs/swagger-ui.css',
      '/docs/swagger-ui-bundle.js',
    ],
    key: null,
    money: false,
    offer: null,
    document: null,
  },
} as const satisfies Operations;
