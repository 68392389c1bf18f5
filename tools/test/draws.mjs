import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../command/run.mjs';

const e2e = (...names) => names.map((name) => `apps/e2e/src/${name}.e2e.spec.ts`);
const int = (folder, ...names) => names.map((name) => `${folder}/${name}.int.spec.ts`);
const ofSimulators = (name) =>
  int('apps/sandbox/src/providers', ...['chapa', 'pawapay', 'paystack'].map((id) => `${id}/${name}`));

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
    promise: 'Vuka starts and stops as a person types it',
    suites: [...e2e('boot', 'demo'), 'tools/start/start.e2e.spec.mjs'],
    runs: 1,
  },
  {
    promise: 'services work on while one of them is away',
    suites: e2e('service-alone', 'stack', 'two-of-each'),
    runs: 1,
  },
  { promise: 'every answer is a documented one', suites: [...e2e('fuzz'), 'tools/fuzz/fuzz.e2e.spec.mjs'], runs: 1 },
  {
    promise: 'the tests and the build see their own faults',
    suites: [...e2e('lent-vuka'), 'tools/build/wiring.e2e.spec.mjs'],
    runs: 1,
  },
  {
    promise: 'events outlive trouble with Kafka',
    suites: int('libs/messaging/src/kafka', 'consumer/kafka-group', 'kafka-outage', 'relay/kafka-relay'),
    runs: 1,
  },
  {
    promise: 'servers that Vuka starts keep their data, and leave nothing running',
    suites: [
      ...int('libs/local-servers/src/kafka', 'local-kafka'),
      ...int('libs/persistence/src/embedded', 'embedded-postgres'),
    ],
    runs: 1,
  },
  { promise: 'a simulator keeps its own books', suites: ofSimulators('conservation'), runs: 1 },
  { promise: 'a simulator behaves by the number it pays to', suites: ofSimulators('numbers'), runs: 1 },
  { promise: 'a simulator answers in the shapes of its provider', suites: ofSimulators('shapes'), runs: 1 },
  { promise: 'pages work in a browser', suites: int('apps/gateway/src', 'docs/docs-browser', 'pay-page/pay-page-browser'), runs: 1 }, // prettier-ignore
];

// A renamed suite would be in no draw, and run each time.
const gone = GROUPS.flatMap(({ suites }) => suites).filter((path) => !existsSync(join(ROOT, path)));
if (gone.length > 0) throw new Error(`tools/test/draws.mjs names suites that do not exist: ${gone.join(', ')}`);

/** Paths of the suites that this run leaves out. */
export function leftByDraw(drawn) {
  return GROUPS.flatMap(({ promise, suites, runs }) => {
    const taken = drawn(promise, suites, runs);
    return suites.filter((path) => !taken.includes(path));
  });
}

/** The regular expression that fits these paths of suites alone. */
export const pathsPattern = (paths) => `/(${paths.map((path) => path.replaceAll('.', String.raw`\.`)).join('|')})$`;
