// Only the registry names currencies, so that what a currency can do is decided in one place.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../command/run.mjs';

const REGISTRY = 'libs/domain/src/currency';

const CODES = readdirSync(join(ROOT, REGISTRY)).flatMap((name) =>
  /^[a-z]{3}\.ts$/.test(name) ? [name.slice(0, 3)] : [],
);

const NAMED = new RegExp(
  String.raw`(?<![A-Za-z0-9])(?:${CODES.join('|').toUpperCase()})(?![A-Za-z0-9])|/(?:${CODES.join('|')})(?![A-Za-z0-9.])`,
);

const MAY_NAME_ONE = [
  new RegExp(`^${REGISTRY}/`),
  /^libs\/domain\/src\/bank\/|^libs\/domain\/src\/chain\/data\//,
  /\.spec\.(ts|mjs)$|\.spec-support\.ts$/,
  // Tables of what a company pays.
  /^libs\/payouts\/src\/providers\//,
  /^libs\/testing\/|^apps\/e2e\//,
  /^tools\/(?:(?:bench|demo|faults|fuzz|rehearse)\/|generate\/pay-page-screenshots\.mjs$)/,
];

export const CURRENCY_RULE = {
  applies: (path) =>
    /^(libs|apps|tools)\/.*\.(ts|mjs|js|sql)$/.test(path) && !MAY_NAME_ONE.some((pattern) => pattern.test(path)),
  find: (path, text) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        NAMED.test(line)
          ? [`${path}:${index + 1} names a currency: ask the registry instead: ${line.trim().slice(0, 100)}`]
          : [],
      ),
};
