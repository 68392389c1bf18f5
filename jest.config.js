import { fileURLToPath } from 'node:url';

import { TRANSPILE_OPTIONS } from './tools/build/transpile-options.mjs';

const root = fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '');

/** One Jest project. Tests read packages from source, so no build is needed; `typecheck` reports type errors. */
export default {
  roots: ['apps', 'libs', 'tools'].map((folder) => `${root}/${folder}`),
  modulePathIgnorePatterns: [`^${root}/(apps|libs)/[^/]+/dist/`],
  testEnvironment: `${root}/tools/test/test-environment.js`,
  runtime: `${root}/tools/test/test-runtime.js`,
  testSequencer: `${root}/tools/test/longest-first.mjs`,
  testRegex: [String.raw`/(apps|libs)/[^/]+/src/.*\.spec\.ts$`, String.raw`/tools/.*\.spec\.mjs$`],
  // Jest's 5 s are too short where four suites share two processors.
  testTimeout: 90_000,
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^@vuka/([^/]+)$': [`${root}/libs/$1/src/index.ts`, `${root}/apps/$1/src/index.ts`],
    '^@vuka/([^/]+)/([^/]+)$': [
      `${root}/libs/$1/src/$2.ts`,
      `${root}/apps/$1/src/store/$2.ts`,
      `${root}/apps/$1/src/commit/$2.ts`,
      `${root}/apps/$1/src/local/$2.ts`,
      `${root}/apps/$1/src/$2/index.ts`,
    ],
  },
  transform: { '^.+\\.ts$': ['@swc/jest', { ...TRANSPILE_OPTIONS, sourceMaps: true }] },
};
