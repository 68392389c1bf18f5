import Sequencer from '@jest/test-sequencer';

/**
 * Slowest first: started last, they would leave other workers idle. Jest orders by past runs, which a fresh clone
 * lacks.
 */
const LONGEST = [
  'rehearse.e2e',
  'stack.e2e',
  'pay.e2e',
  'fuzz.e2e',
  'start.e2e',
  'checkout.e2e',
  'admin.e2e',
  'demo.e2e',
  'crash-points-pay.e2e',
  'pay-conservation.e2e',
  'pay-families.e2e',
  'pay-failures.e2e',
  'sandbox-numbers.e2e',
  'checkout-crash.e2e',
  'crash.e2e',
  'crash-points.e2e',
  'platform-day.e2e',
  'pay-reorganised.e2e',
  'two-of-each.e2e',
  'webhook-trust.e2e',
  'isolation.e2e',
  'boot.e2e',
  'rate-limits.e2e',
  'disburse.e2e',
  'sandbox-control.e2e',
  'lent-vuka.e2e',
  'terms.e2e',
  'simulated-payouts.int',
  'kafka-outage.int',
  'kafka-relay.int',
  'docs-browser.int',
  'pay-page-browser.int',
  'real-chain.int',
  'kafka-group.int',
  'local-kafka.int',
  'redis-jobs.int',
  'embedded-postgres.int',
  'second-way.int',
  'provider-outage.int',
  'provider-trouble.int',
  'receiver-answers.int',
  'notifier.int',
  'local-chain.int',
  'kafka-destination.int',
  'lock-session.int',
  'sandbox-chain.int',
  'provider-crash.int',
  'outgoing.int',
  'payout-chaos.int',
  'paths',
];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const at = LONGEST.findIndex((name) => path.includes(`/${name}.spec.`));
      return at === -1 ? LONGEST.length : at;
    };
    return [...super.sort(tests)].sort((a, b) => rank(a) - rank(b));
  }
}
