const seconds = (ms) => (ms === null ? '–' : `${(ms / 1000).toFixed(1)} s`);

export function summary(results) {
  const wrong = results.filter(({ faults }) => faults.length > 0);
  if (wrong.length === 0) return `${results.length} faults, and after each of them nothing was lost, doubled or wrong.`;
  return `${wrong.length} of ${results.length} faults left something wrong: ${wrong.map(({ id }) => id).join(', ')}`;
}

export function report({ results, scenarios, machine, date, took }) {
  return `# Reliability

What the distributed profile withstands, measured by \`npm run faults\` (${took}). The file is written by that command; \`npm run faults -- --list\` names the faults, \`-- --only=<id>\` does one.

${machine}, ${date}. A whole stack on this one machine: Kafka, Redis, PostgreSQL, two payout providers, six services. Two partners send some 60 transfers a second, one in five of which the provider
refuses and one in five it leaves open for a while; where deposits come in, their payers send tokens on two chains besides, to addresses that a pay names and to orders: enough, too much, too little, in two parts. Every stack runs on the test event_bus: events are handed over again, late and in another order across keys. A fault happens when the road is
full, is repaired, and partners go on. What got no answer is sent again, every second one.

Then, after each fault: every 200 that was ever sent is there; every transaction has ended as its number documents, was told by webhook, and was paid once at most by the providers' own books; every wallet
holds what it must, to the cent, seen from outside; the ledger check passes. **${summary(results)}**

${scenarios
  .map((scenario) => section(scenario, results))
  .filter((text) => text !== '')
  .join('\n\n')}

- *503*, *no answer*: what partners met meanwhile. Each of these was answered honestly or not at all: sent again, it was one payout.
- *longest without a 200*: of all partners' requests, from the fault to three seconds after it.
- *flows after*: from the end of the fault until a payout that was accepted then was paid and told.
- *webhooks, again*: those that came, and how many of them came more than once; a webhook is told at least once, with the same id.
- *so far*: all of the stack's, every one of which is checked anew after each fault; the chains' own books say which deposits there are, and orders are judged anew from them.
`;
}

function section({ title, faults, withDeposits = false }, results) {
  const rows = faults.flatMap(({ id }) => results.filter((result) => result.id === id));
  if (rows.length === 0) return '';
  const names = [
    'fault',
    'accepted',
    '503',
    'no answer',
    'longest without a 200',
    'flows after',
    'webhooks',
    'again',
    'payouts so far',
    'paid',
    ...(withDeposits ? ['deposits so far', 'orders so far'] : []),
    'ledger',
    'lost, doubled or wrong',
  ];
  const lines = [names, names.map(() => '---'), ...rows.map((result) => row(result, withDeposits))];
  return `## ${title[0].toUpperCase()}${title.slice(1)}\n\n${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}`;
}

function row({ title, counts, faults }, withDeposits) {
  const {
    accepted,
    refused503,
    otherErrors,
    unanswered,
    longestGapMs,
    recoveredMs,
    webhooks,
    webhooksTwice,
    transactions,
    paid,
    incomingTransfers,
    orders,
    ledger,
  } = counts;
  return [
    title,
    accepted,
    refused503 + otherErrors,
    unanswered,
    seconds(longestGapMs),
    seconds(recoveredMs),
    webhooks,
    webhooksTwice,
    transactions ?? '–',
    paid ?? '–',
    ...(withDeposits ? [incomingTransfers ?? '–', orders ?? '–'] : []),
    ledger ? 'sound' : '✗',
    faults.length === 0 ? 'nothing' : faults.map((text) => text.replaceAll('\n', ' ').slice(0, 200)).join('; '),
  ];
}
