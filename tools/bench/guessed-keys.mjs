import { statSync } from 'node:fs';

import { GUESSED_KEY_REQUESTS, loadHttp, transferRequests } from './load.mjs';
import { median, ms, percent, table, whole } from './table.mjs';
import { startVuka, untilQuiet } from './vuka.mjs';

const GUESSES_PER_SECOND = 2_000;
const FLOOD_CONNECTIONS = 32;
const CONNECTIONS = 16;
/** As deployed by default; the partners' own limits are out of reach. */
const LIMIT = { RATE_LIMIT_FAILED_AUTH: '10/200' };

/** Transfers with known keys, in turn without and with guessed keys from the same address. */
export async function measureGuessedKeys({ rounds, seconds }, tell) {
  const vuka = await startVuka(LIMIT);
  try {
    // As after a restart: this process has seen no key yet.
    const cold = await transfersInFlood(vuka, seconds);
    tell(`${whole(cold.known.perSecond)}/s right after the start`);
    const pairs = [];
    for (let round = 0; round < rounds; round += 1) {
      const alone = await transfers(vuka, seconds);
      const beside = await transfersInFlood(vuka, seconds);
      pairs.push({ alone, ...beside });
      tell(
        `${whole(alone.perSecond)}/s alone, ${whole(beside.known.perSecond)}/s beside ${whole(beside.guesses.perSecond)}/s`,
      );
    }
    return { rounds, seconds, cold, pairs };
  } finally {
    await vuka.stop();
  }
}

async function transfers(vuka, seconds) {
  await untilQuiet(vuka);
  const result = await loadHttp(vuka.baseUrl, transferRequests(vuka.partners), {
    connections: CONNECTIONS,
    seconds,
    warmUpSeconds: 0.5,
  });
  const others = Object.keys(result.statuses).filter((status) => status !== '200');
  if (others.length > 0) throw new Error(`known keys were answered ${JSON.stringify(result.statuses)}`);
  return result;
}

async function transfersInFlood(vuka, seconds) {
  await untilQuiet(vuka);
  const logFile = `${vuka.folder}.log`;
  const before = statSync(logFile).size;
  const floodSeconds = seconds + 1.5;
  const flood = loadHttp(vuka.baseUrl, GUESSED_KEY_REQUESTS, {
    connections: FLOOD_CONNECTIONS,
    seconds: floodSeconds,
    perSecond: GUESSES_PER_SECOND,
  });
  const known = loadHttp(vuka.baseUrl, transferRequests(vuka.partners), {
    connections: CONNECTIONS,
    seconds,
    warmUpSeconds: 1,
  });
  const [guesses, result] = await Promise.all([flood, known]);
  const others = Object.keys(result.statuses).filter((status) => status !== '200');
  if (others.length > 0) throw new Error(`known keys were answered ${JSON.stringify(result.statuses)}`);
  const opened = Object.keys(guesses.statuses).filter((status) => !['401', '429'].includes(status));
  if (opened.length > 0) throw new Error(`guessed keys were answered ${JSON.stringify(guesses.statuses)}`);
  return { known: result, guesses, loggedPerMinute: ((statSync(logFile).size - before) * 60) / floodSeconds };
}

export function guessedKeysReport({ rounds, seconds, cold, pairs }, { machine, date }) {
  const of = (pick) => median(pairs.map(pick));
  const line = (name, pick) => [
    name,
    whole(of((pair) => pick(pair).perSecond)),
    ms(of((pair) => pick(pair).p50)),
    ms(of((pair) => pick(pair).p99)),
  ];
  return [
    '## Known keys beside guessed ones',
    `${date}, ${machine}.`,
    '',
    `Bank transfers with known keys over ${CONNECTIONS} connections, as fast as they are answered, alone and beside ${whole(GUESSES_PER_SECOND)} guessed keys a second from the same address, each another one. In turn, ${rounds} rounds of ${seconds} s (medians). The limit of failed keys is the default. Both loads run on the same processors.`,
    '',
    ...table(
      ['', 'answers/s', 'p50 ms', 'p99 ms'],
      [
        line('known keys alone', ({ alone }) => alone),
        line('known keys beside', ({ known }) => known),
        line('guessed keys', ({ guesses }) => guesses),
      ],
    ),
    '',
    `Known keys keep ${percent(of(({ alone, known }) => known.perSecond / alone.perSecond))} of their rate. The log of the whole process grows by ${whole(of(({ loggedPerMinute }) => loggedPerMinute) / 1_000)} kB a minute. Right after a start, when the process has seen no key yet, all ${whole(cold.known.count)} requests with known keys were answered 200.`,
  ];
}
