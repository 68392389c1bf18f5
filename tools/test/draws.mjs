import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../command/run.mjs';

const e2e = (...names) => names.map((name) => `apps/e2e/src/${name}.e2e.spec.ts`);

/**
 * Suites that attack one promise, each in its own way. A commit's run takes one of each group, drawn anew, so that a
 * few commits run all; a whole run takes all. What no other suite here attacks is in no group, and always runs.
 */
export const GROUPS = [
  {
    promise: 'a process that dies loses nothing and pays nothing twice',
    suites: e2e('crash', 'crash-points', 'crash-points-pay', 'checkout-crash'),
  },
  {
    promise: 'each deposit is in one place, to the cent',
    suites: e2e('pay-conservation', 'pay-failures', 'pay-families', 'pay-reorganised'),
  },
  {
    promise: 'people see the money as it is, and can repair it',
    suites: e2e('admin', 'platform-day', 'restore', 'standing-checks'),
  },
  {
    promise: 'Vuka starts and stops as a person types it',
    suites: [...e2e('boot', 'demo'), 'tools/start/start.e2e.spec.mjs'],
  },
  {
    promise: 'services work on while one of them is away',
    suites: e2e('service-alone', 'stack', 'two-of-each'),
  },
  { promise: 'every answer is a documented one', suites: [...e2e('fuzz'), 'tools/fuzz/fuzz.e2e.spec.mjs'] },
  {
    promise: 'the tests and the build see their own faults',
    suites: [...e2e('lent-vuka'), 'tools/build/wiring.e2e.spec.mjs'],
  },
  {
    promise: 'events outlive trouble with Kafka',
    suites: [
      'libs/messaging/src/kafka/consumer/kafka-group.int.spec.ts',
      'libs/messaging/src/kafka/kafka-outage.int.spec.ts',
      'libs/messaging/src/kafka/relay/kafka-relay.int.spec.ts',
    ],
  },
  {
    promise: 'servers that Vuka starts keep their data, and leave nothing running',
    suites: [
      'libs/local-servers/src/kafka/local-kafka.int.spec.ts',
      'libs/persistence/src/embedded/embedded-postgres.int.spec.ts',
    ],
  },
  {
    promise: 'pages work in a browser',
    suites: [
      'apps/gateway/src/docs/docs-browser.int.spec.ts',
      'apps/gateway/src/pay-page/pay-page-browser.int.spec.ts',
    ],
  },
];

// A renamed suite would be in no draw, and run each time.
const gone = GROUPS.flatMap(({ suites }) => suites).filter((path) => !existsSync(join(ROOT, path)));
if (gone.length > 0) throw new Error(`tools/test/draws.mjs names suites that do not exist: ${gone.join(', ')}`);

/** Paths of the suites that this run leaves out. */
export function leftByDraw(drawn) {
  return GROUPS.flatMap(({ promise, suites }) => {
    const taken = drawn(promise, suites, 1);
    return suites.filter((path) => !taken.includes(path));
  });
}

/** The regular expression that fits these paths of suites alone. */
export const pathsPattern = (paths) => `/(${paths.map((path) => path.replaceAll('.', String.raw`\.`)).join('|')})$`;
