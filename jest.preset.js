import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '');

/**
 * One Jest project. Tests read the workspace's packages from source, so no build comes before them; SWC
 * strips types and emits the decorator metadata that Nest and TypeORM need. Type errors are the typecheck
 * target's business.
 */
export function projectConfig(displayName, rootDir) {
  return {
    displayName,
    rootDir,
    testEnvironment: 'node',
    testMatch: ['<rootDir>/src/**/*.spec.ts'],
    extensionsToTreatAsEsm: ['.ts'],
    moduleNameMapper: {
      '^(\\.{1,2}/.*)\\.js$': '$1',
      '^@vuka/([^/]+)$': [`${root}/libs/$1/src/index.ts`, `${root}/apps/$1/src/index.ts`],
    },
    transform: {
      '^.+\\.ts$': [
        '@swc/jest',
        {
          jsc: {
            target: 'es2022',
            parser: { syntax: 'typescript', decorators: true, importAttributes: true },
            experimental: { keepImportAttributes: true },
            transform: { legacyDecorator: true, decoratorMetadata: true },
          },
          module: { type: 'es6' },
          sourceMaps: 'inline',
        },
      ],
    },
  };
}
