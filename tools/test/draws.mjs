import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../command/run.mjs';

const e2e = (...names) => names.map((name) => `apps/e2e/src/${name}.e2e.spec.ts`);
const int = (folder, ...names) => names.map((name) => `${folder}/${name}.int.spec.ts`);

/**
 * Suites that attack one promise, each in its own way. A commit's run takes so many (`runs`) of each group, drawn anew,
 * so that a few commits run all; a whole run takes all. What no other suite here attacks is in no group, and always
 * runs.
 */
export const GROUPS = [
  {
    promise: 'a process that dies loses nothing and pays nothing twice',
    suites: e2e('crash', 'crash-points', 'crash-points-pay', 'checkout-crash'),
    runs: 1,
  },
  {
    promise: 'each deposit is in one place, to the cent',
    suites: e2e('pay-conservation', 'pay-failures', 'pay-families', 'pay-reorganised'),
    runs: 1,
  },
  {
    promise: 'a provider that misbehaves is paid by once',
    suites: [
      ...int('apps/payments/src/payouts', 'provider-trouble'),
      ...int('apps/payments/src/testing', 'payout-chaos', 'failover/provider-outage', 'failover/second-way'),
      ...int('apps/payments/src/testing/simulators', 'simulated-payouts'),
    ],
    runs: 2,
  },
  {
    promise: 'steps come in any order',
    suites: [
      ...int('apps/checkout/src/judging', 'judge-any-order'),
      ...int('apps/payments/src', 'orders/orders-any-order', 'refunds/refund-orders', 'settlements/settlement-orders'),
    ],
    runs: 2,
  },
  {
    promise: 'people see the money as it is, and can repair it',
    suites: e2e('admin', 'platform-day', 'restore', 'standing-checks'),
    runs: 1,
  },
  {
    promise: 'Vuka starts and stops as a person types it, and works on while a part of it is away',
    suites: [...e2e('boot', 'demo', 'service-alone', 'stack', 'two-of-each'), 'tools/start/start.e2e.spec.mjs'],
    runs: 1,
  },
  {
    promise: 'what is wrong is seen: in an answer, by the tests, by the build',
    suites: [...e2e('fuzz', 'lent-vuka'), 'tools/build/wiring.e2e.spec.mjs', 'tools/fuzz/fuzz.e2e.spec.mjs'],
    runs: 1,
  },
];

// A renamed suite would be in no draw, and run each time.
const gone = GROUPS.flatMap(({ suites }) => suites).filter((path) => !existsSync(join(ROOT, path)));
if (gone.length > 0) throw new Error(`tools/test/draws.mjs names suites that do not exist: ${gone.join(', ')}`);

/**
 * Integration suites of what neither moves money nor decides about it: a commit's run takes a quarter, drawn anew. The
 * adapters of providers are not among them, though their suites are where the simulators are.
 */
const BESIDE_FOLDERS = [
  'apps/(admin|notifier|sandbox|stack)/src',
  'apps/gateway/src/(docs|edge|pay-page)',
  'libs/(data-folder|http|jobs|local-servers|service-host)/src',
  'libs/messaging/src/kafka',
  'libs/persistence/src/embedded',
];
const BESIDE = new RegExp(String.raw`^(${BESIDE_FOLDERS.join('|')})/(?!.*/adapter-).*\.int\.spec\.ts$`);
const BESIDE_SHARE = 1 / 4;

/** Of `all` paths of suites, those that this run leaves out. */
export function leftByDraw(drawn, all) {
  const beside = all.filter((path) => BESIDE.test(path)).sort();
  const draws = [
    ...GROUPS,
    { promise: 'beside the money', suites: beside, runs: Math.ceil(beside.length * BESIDE_SHARE) },
  ];
  return draws.flatMap(({ promise, suites, runs }) => {
    const taken = drawn(promise, suites, runs);
    return suites.filter((path) => !taken.includes(path));
  });
}

/** The regular expression that fits these paths of suites alone. */
export const pathsPattern = (paths) => `/(${paths.map((path) => path.replaceAll('.', String.raw`\.`)).join('|')})$`;
