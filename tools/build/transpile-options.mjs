/**
 * How tests and `npm start` turn TypeScript into JavaScript: SWC, with decorator metadata for Nest and TypeORM. `npm
 * run typecheck` and `npm run build` check types.
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
