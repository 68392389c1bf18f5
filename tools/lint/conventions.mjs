// House rules a linter does not know. `conventions.spec.mjs` runs them with the tests.
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { ROOT } from '../command/run.mjs';
import { CURRENCY_RULE } from './conventions-currencies.mjs';
import { DEPLOY_RULE } from './conventions-deploy.mjs';
import { INJECTED_RULE } from './conventions-injected.mjs';
import { DOOR_RULE, folderFindings } from './conventions-structure.mjs';

const SOURCE = /\.(ts|mjs|js|sql)$/;
const TYPESCRIPT = /^(libs|apps)\/[^/]+\/src\/.*\.ts$/;
const SPEC = /\.spec\.(ts|mjs)$/;
const NOT_SHIPPED = /\.spec\.ts$|\.spec-support\.ts$|^libs\/testing\//;

const ROLES = [
  'controller',
  'consumer',
  'operations',
  'root',
  'job',
  'store',
  'filter',
  'entity',
  'migration',
  'module',
  'spec',
  'int.spec',
  'e2e.spec',
  'spec-support',
];
const KEBAB = new RegExp(
  String.raw`^[a-z0-9]+(-[a-z0-9]+)*(\.(${ROLES.map((role) => role.replace('.', String.raw`\.`)).join('|')}))?\.ts$`,
);

const NAMELESS = ['utils', 'util', 'common', 'shared', 'helpers', 'helper', 'misc'];

const forbid = (pattern, why) => (path, text) =>
  text
    .split('\n')
    .flatMap((line, index) =>
      pattern.test(line) ? [`${path}:${index + 1} ${why}: ${line.trim().slice(0, 100)}`] : [],
    );

/** Ways to get a float, forbidden everywhere in libs/domain. */
const FLOAT =
  /\bparse(Float|Int)\b|\bNumber[(.]|\bMath\.(?!max\(|min\()|\.to(Fixed|Precision|Exponential)\(|\bJSON\.parse\(|(?<=[=(,:?[]\s*)\+[A-Za-z_(]|~~/;

/** Names of money; `minorDecimals`, `feeRule` and similar do not match. */
const MONEY = String.raw`(?:\w*(?:amount|minor|balance)s?|(?:\w+_)?fees?|\w*Fees?|sum)\b`;
const ARGUMENTS = String.raw`\((?:[^()]|\([^()]*\)?)*?\b`;

/** In shipped code: money made a number, used in float arithmetic, or declared as number. */
const MONEY_AS_FLOAT = new RegExp(
  [
    String.raw`\b(?:Number|parse(?:Float|Int)|Number\.parse\w+|Math\.\w+)${ARGUMENTS}${MONEY}`,
    String.raw`\b${MONEY}\)?\.to(?:Fixed|Precision|Exponential|LocaleString)\(`,
    String.raw`(?<=[=(,:?[]\s*)\+\(?[\w.?]*\b${MONEY}`,
    // A bigint is multiplied by `100n`, a float by `100` or `0.01`.
    String.raw`\b${MONEY}\s*[*/%]\s*[\d._]+(?![\d._]*n)`,
    String.raw`\b${MONEY}\??: (?:number\b|z\.(?:number|int)\()`,
  ].join('|'),
  'i',
);

/**
 * Allowed numbers: ids and JSON, such as Solana's uiAmount, limits and examples of schemas, the balance partners read,
 * and what a metric shows.
 */
const NO_FLOAT_OF_MONEY = [
  'minimum: JSON.parse(least) as number',
  'maximum: JSON.parse(most) as number',
  '{ amount: JSON.parse(formatDecimal(minMinor, currencyDecimals(currency))) as number }',
  'function amountExample(minMinor: bigint, currency: WalletCurrency): { amount: number }',
  "balance: z.number().describe('What may be spent now",
  'partner: Number(found.partner)',
  'readonly uiAmount: number | null',
  'this.set(gauge, ({ minor }) => Number(minor))',
  // Paystack's JSON has integers; larger ones than a number can hold are refused before.
  'amount: Number(amount.minor),',
  'balance: z.number() })',
];

const moneyAsFloat = (path, text) => {
  const rest = NO_FLOAT_OF_MONEY.reduce((left, allowed) => left.replaceAll(allowed, ''), text);
  const patterns = path.startsWith('libs/domain/src/') ? [FLOAT, MONEY_AS_FLOAT] : [MONEY_AS_FLOAT];
  return [...new Set(patterns.flatMap((pattern) => forbid(pattern, 'amounts are bigint minor units')(path, rest)))];
};

export const FILE_RULES = {
  'names say what is inside': {
    applies: (path) => /^(libs|apps|tools|deploy)\//.test(path),
    find: (path) =>
      path.split(/[/.-]/).some((word) => NAMELESS.includes(word))
        ? [`${path}: the name does not describe the content`]
        : [],
  },
  'file names are kebab-case with their role': {
    applies: (path) => TYPESCRIPT.test(path),
    find: (path) =>
      KEBAB.test(basename(path)) ? [] : [`${path}: not <kebab-case>[.<role>].ts with a role of ${ROLES.join(', ')}`],
  },
  'nothing is left for later': {
    applies: (path) => SOURCE.test(path),
    find: forbid(
      new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'HA' + 'CK'].join('|')})\\b`),
      'do it now, or write it in the issue',
    ),
  },
  'money never meets a float': {
    applies: (path) => TYPESCRIPT.test(path) && !NOT_SHIPPED.test(path),
    find: moneyAsFloat,
  },
  'only the registry names a currency': CURRENCY_RULE,
  'containers are shut, bounded and pinned': DEPLOY_RULE,
  'no key is made that may stand still': {
    applies: (path) => SOURCE.test(path) && !SPEC.test(path) && !path.includes('.spec-support.'),
    find: forbid(
      /\bgenerateKeyPair(Sync)?\(/,
      'an export of such a key may deadlock with the garbage collector (Node 20): newEd25519Key of libs/chains',
    ),
  },
  'tests wait for conditions': {
    applies: (path) => SPEC.test(path),
    find: forbid(
      /timers\/promises|setTimeout\((resolve|done|r)\b/,
      'wait for what must become true (until, libs/testing), not for time',
    ),
  },
  'a feature is entered by its index': DOOR_RULE,
  'what is injected is a class or has a token': INJECTED_RULE,
  'every test runs': {
    applies: (path) => SPEC.test(path),
    find: forbid(/\b(it|test|describe)\.(only|skip|todo)\(|\bx(it|describe)\(/, 'no focus, no skip'),
  },
  'a silenced rule says why': {
    applies: (path) => SOURCE.test(path),
    find: forbid(
      new RegExp(`(?:es|ox)lint-${'disable'}(?!.* -- \\S)|@ts-${'ignore'}|@ts-expect-${'error'}(?! \\S)`),
      'add ` -- <reason>`',
    ),
  },
};

export async function findingsOf({ applies, find }, files) {
  const findings = [];
  for (const path of files.filter(applies)) findings.push(...find(path, await readFile(join(ROOT, path), 'utf8')));
  return findings;
}

export async function workspaceFindings(files) {
  const build = JSON.parse(await readFile(join(ROOT, 'tsconfig.build.json'), 'utf8'));
  const built = build.references.map(({ path }) => path);
  const projects = files
    .filter((path) => /^(libs|apps)\/[^/]+\/package\.json$/.test(path))
    .map((path) => path.replace('/package.json', ''));
  const findings = folderFindings(files);
  for (const project of projects) {
    const config = JSON.parse(await readFile(join(ROOT, project, 'project.json'), 'utf8').catch(() => '{}'));
    const tags = config.tags ?? [];
    if (!tags.some((tag) => tag.startsWith('type:'))) findings.push(`${project}/project.json: no type: tag`);
    if (!tags.includes(`scope:${basename(project)}`))
      findings.push(`${project}/project.json: no tag scope:${basename(project)}`);
    const doors = files.filter((path) => path === `${project}/src/index.ts`);
    const tested = tags.includes('type:test');
    if (doors.length !== 1 && !tested)
      findings.push(`${project}: one src/index.ts, found ${doors.length} (${doors.join(', ')})`);
    if (!built.includes(project) && !tested) findings.push(`${project}: missing in tsconfig.build.json`);
  }
  return findings;
}
