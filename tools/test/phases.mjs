// Which kinds of suites there are and how each is run, as data.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../command/run.mjs';

/** What a partner sees of the system, whichever profile it runs on. They share one Vuka, each with partners of its own. */
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
/** As those, on a Vuka of its own, which it sets. */
const SETTING = ['rate-limits'];
/** What processes that run apart could get wrong together, and one cannot: in every run on both profiles. */
const TOGETHER = ['idempotency', 'races', 'webhook-trust', ...SETTING];
/** About services that run apart, and what starts them anew. All others are about one process and its folder. */
const APART = ['service-alone', 'stack', 'terms', 'two-of-each'];
/** Of these, what asks the embedded profile as well. */
const EMBEDDED_TOO = ['terms'];
/** Of what is paid for by deposits: on chains of their own, in both profiles. */
const PAYS = ['checkout', 'pay'];
/** As those; what a chain's own kind of transfer comes to is judged by one service alone, and `pay` takes each family through all of them. */
const PAYS_WHEN_WHOLE = ['pay-families'];
/** What asks both profiles the same, and asks neither for anything that is not asked of the other: of these a commit's run asks either profile some. */
const EITHER = PARTNERS.filter((name) => !TOGETHER.includes(name));
const OF_SECOND = 4;
/** As those, where the first profile is asked for more: whether a commit's run asks the second one, too, is drawn. */
const TOO = 'checkout';
/** What pays or is paid on an EVM chain. Integration suites ask for anvil themselves. */
export const ON_EVM_CHAINS = [
  'checkout',
  'checkout-crash',
  'crash-points-pay',
  'isolation',
  'pay',
  'pay-conservation',
  'pay-failures',
  'pay-reorganised',
];

// A suite that got another name would lose its second profile without a word.
const gone = [...PARTNERS, ...SETTING, ...APART, ...PAYS, ...PAYS_WHEN_WHOLE, ...ON_EVM_CHAINS].filter(
  (name) => !existsSync(join(ROOT, `apps/e2e/src/${name}.e2e.spec.ts`)),
);
if (gone.length > 0) throw new Error(`tools/test/phases.mjs names suites that are not there: ${gone.join(', ')}`);

export const endToEnd = (names) => String.raw`/(${names.join('|')})\.e2e\.spec\.ts$`;
const ELSEWHERE = [...PARTNERS, ...SETTING, ...APART.filter((name) => !EMBEDDED_TOO.includes(name))];

/**
 * Sorted by cost. What waits, for a broker to come back or a payout to end, leaves the two processors to others: three and four suites share
 * them. `profile`: of programs that are built and started; `shared`: suites share one Vuka (lend-vuka.mjs).
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
    minutes: 18,
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
 * Names of end-to-end suites that a commit's run does not ask of this profile; none for a run that names some of them. `drawn` is that of
 * libs/testing; where only one profile can run, it is asked all.
 */
export function leftToTheOther(profile, { suites, drawn, canRunStack }) {
  if (!EITHER.every((name) => suites.some((path) => path.endsWith(`/${name}.e2e.spec.ts`)))) return [];
  const second = canRunStack ? drawn('asked of the second profile', EITHER, OF_SECOND) : [];
  if (profile === 'embedded') return second;
  const first = EITHER.filter((name) => !second.includes(name));
  return [...PAYS_WHEN_WHOLE, ...first, ...drawn('left to the first profile', [[TOO], []], 1)[0]];
}

/** Those of the names that are suites of this phase. */
export const namedIn = ({ profile, suites }, names) =>
  profile === undefined ? [] : names.filter((name) => new RegExp(suites).test(`/${name}.e2e.spec.ts`));
