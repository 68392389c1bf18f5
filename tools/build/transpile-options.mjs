/**
 * How TypeScript becomes JavaScript without a type check, for the tests and for `npm start` alike: SWC strips the
 * types and emits the decorator metadata that Nest and TypeORM need. Types are checked by `npm run typecheck`, and
 * by the compiler in `npm run build`.
 */
export const TRANSPILE_OPTIONS = {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true, importAttributes: true },
    experimental: { keepImportAttributes: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
  module: { type: 'es6' },
};
