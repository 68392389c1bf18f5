import Sequencer from '@jest/test-sequencer';

/**
 * Suites that take longest, in that order: a worker that starts one of them last leaves the others idle. Jest itself
 * goes by what it has seen before, of which a fresh clone has nothing.
 */
const LONGEST = [
  'stack.e2e', 'pay.e2e', 'fuzz.e2e', 'start.e2e', 'checkout.e2e', 'desk.e2e', 'demo.e2e', 'crash-points-pay.e2e', 'pay-conservation.e2e', 'pay-families.e2e', 'previous-build.e2e', 'pay-failures.e2e', 'sandbox-numbers.e2e',
  'checkout-crash.e2e', 'crash.e2e', 'crash-points.e2e', 'platform-day.e2e', 'pay-reorganised.e2e', 'two-of-each.e2e', 'webhook-trust.e2e', 'isolation.e2e', 'boot.e2e', 'rate-limits.e2e', 'disburse.e2e', 'sandbox-control.e2e', 'lent-vuka.e2e', 'terms.e2e',
  'paths',
];

/**
 * Integration suites that wait most of their time, for a broker to come back or a lease to lapse, and how many seconds they take where three others
 * run beside them. All at once they would leave the processors idle, and at the end, too: two at a time.
 */
const WAITING = {
  'kafka-relay.int': 57, 'kafka-outage.int': 55, 'real-chain.int': 40, 'kafka-group.int': 38, 'local-kafka.int': 31, 'embedded-postgres.int': 23, 'redis-jobs.int': 21,
  'kafka-destination.int': 18, 'lock-session.int': 17, 'look-at-claims.int': 17, 'notifier.int': 16, 'rail-trouble.int': 16, 'local-chain.int': 15, 'embedded-wire.int': 11,
};
/** Others that two workers come through in a second, while two wait: half of it for each. */
const OTHERS_A_SECOND = 0.8 / 2;

const is = (name) => ({ path }) => path.includes(`/${name}.spec.`);

/** Those that wait in between the others, two at first. */
function spread(tests) {
  const waiting = Object.entries(WAITING).flatMap(([name, seconds]) => tests.filter(is(name)).map((test) => ({ test, others: Math.round(seconds * OTHERS_A_SECOND) })));
  const others = tests.filter((test) => !waiting.some((one) => one.test === test));
  const order = waiting.splice(0, 1).map(({ test }) => test);
  for (const { test, others: count } of waiting) order.push(test, ...others.splice(0, count));
  return [...order, ...others];
}

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const at = LONGEST.findIndex((name) => is(name)({ path }));
      return at === -1 ? LONGEST.length : at;
    };
    return spread([...super.sort(tests)].sort((a, b) => rank(a) - rank(b)));
  }
}
