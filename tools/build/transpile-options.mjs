/** SWC with decorator metadata for Nest and TypeORM, for tests and `npm start`. Types are checked elsewhere. */
export const TRANSPILE_OPTIONS = {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true, importAttributes: true },
    experimental: { keepImportAttributes: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
  module: { type: 'es6' },
};
