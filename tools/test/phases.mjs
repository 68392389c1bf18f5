import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../command/run.mjs';

/** Behaviour that partners see, on either profile. They share one Vuka with separate partners. */
export const PARTNERS = [
  'contract',
  'disburse',
  'idempotency',
  'lists',
  'matrix',
  'openapi',
  'races',
  'sandbox-control',
  'sandbox-numbers',
  'happy-path',
  'validation',
  'webhook-trust',
];
const SETTING = ['rate-limits'];
/** What separate processes could get wrong together: a commit's run always asks them, and one of these the embedded profile. */
const TOGETHER = ['idempotency', 'races', 'webhook-trust', ...SETTING];
/** About separate services and their restarts. All others are about one process and its folder. */
const APART = ['people', 'rehearse', 'service-alone', 'stack', 'terms', 'two-of-each'];
const EMBEDDED_TOO = ['people', 'terms'];
/** Paid by deposits: with their own chains, on both profiles. */
const PAYS = ['checkout', 'pay'];
/** Only in whole runs: one service judges a chain's transfers, and `pay` takes each family through all. */
const PAYS_WHEN_WHOLE = ['pay-families'];
/**
 * Same checks on both profiles: a commit's run divides them between the profiles. With partners on a Vuka that suites
 * share, and with one of their own.
 */
const EITHER = PARTNERS.filter((name) => !TOGETHER.includes(name));
const OF_SECOND = 4;
const OF_FIRST_TOGETHER = 1;
const EITHER_ALONE = [...PAYS, ...EMBEDDED_TOO];
/** Always of the second profile, where it also has offramp die alone. */
const DOES_MORE_APART = 'pay';
const OF_SECOND_ALONE = 1;
const OTHERS_ALONE = EITHER_ALONE.filter((name) => name !== DOES_MORE_APART);
export const ON_EVM_CHAINS = [
  'checkout',
  'checkout-crash',
  'crash-points-pay',
  'isolation',
  'pay',
  'pay-conservation',
  'pay-failures',
  'pay-reorganised',
  'rehearse',
];

// A renamed suite would silently lose its second profile.
const gone = [...PARTNERS, ...SETTING, ...APART, ...PAYS, ...PAYS_WHEN_WHOLE, ...ON_EVM_CHAINS].filter(
  (name) => !existsSync(join(ROOT, `apps/e2e/src/${name}.e2e.spec.ts`)),
);
if (gone.length > 0) throw new Error(`tools/test/phases.mjs names suites that do not exist: ${gone.join(', ')}`);

export const endToEnd = (names) => String.raw`/(${names.join('|')})\.e2e\.spec\.ts$`;
const ELSEWHERE = [...PARTNERS, ...SETTING, ...APART.filter((name) => !EMBEDDED_TOO.includes(name))];

/**
 * Sorted by cost. Suites that wait leave processors to others, so three or four run at once. `profile`: built programs
 * are started; `shared`: suites share one Vuka.
 */
export const PHASES = [
  { name: 'unit', suites: String.raw`(?<!\.(int|e2e))\.spec\.(ts|mjs)$`, workers: 2, minutes: 8, isPure: true },
  { name: 'integration', suites: String.raw`\.int\.spec\.ts$`, workers: 4, minutes: 16 },
  {
    name: 'end to end',
    suites: String.raw`(?<!/(${ELSEWHERE.join('|')}))\.e2e\.spec\.(ts|mjs)$`,
    workers: 4,
    minutes: 26,
    profile: 'embedded',
  },
  {
    name: 'end to end, of partners',
    suites: endToEnd([...PARTNERS, ...SETTING]),
    workers: 3,
    minutes: 10,
    profile: 'embedded',
    shared: true,
  },
  {
    name: 'distributed end to end',
    suites: endToEnd([...APART, ...PAYS, ...PAYS_WHEN_WHOLE]),
    workers: 3,
    minutes: 28,
    profile: 'distributed',
  },
  {
    name: 'distributed end to end, of partners',
    suites: endToEnd([...PARTNERS, ...SETTING]),
    workers: 3,
    minutes: 10,
    profile: 'distributed',
    shared: true,
  },
];

/**
 * End-to-end suites that a commit's run skips on this profile; none if suites are named, or if only one profile can
 * run.
 */
export function leftToTheOther(profile, { suites, drawn, canRunStack }) {
  if (!EITHER.every((name) => suites.some((path) => path.endsWith(`/${name}.e2e.spec.ts`)))) return [];
  const second = canRunStack
    ? [
        ...without(TOGETHER, drawn('asked of the first profile too', TOGETHER, OF_FIRST_TOGETHER)),
        ...drawn('asked of the second profile', EITHER, OF_SECOND),
        ...[DOES_MORE_APART, ...drawn('alone on the second profile', OTHERS_ALONE, OF_SECOND_ALONE)],
      ]
    : [];
  if (profile === 'embedded') return second;
  return [...PAYS_WHEN_WHOLE, ...without([...EITHER, ...EITHER_ALONE], second)];
}

const without = (names, others) => names.filter((name) => !others.includes(name));

export const namedIn = ({ profile, suites }, names) =>
  profile === undefined ? [] : names.filter((name) => new RegExp(suites).test(`/${name}.e2e.spec.ts`));
