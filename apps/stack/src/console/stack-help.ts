import { DEFAULT_STACK_FOLDER } from '@vuka/data-folder';
import { plainPaint, type Paint } from '@vuka/terminal';

import { CALL } from './stack-banner.js';
import { MOST_INSTANCES } from '../parts/stack-settings.js';

const COMMANDS: readonly (readonly [usage: string, help: string])[] = [
  ['npm run stack', 'starts everything in the background, and returns when it is ready'],
  [`${CALL} --instances 2`, `as above, with this number of each service (1 to ${MOST_INSTANCES})`],
  [`${CALL} --foreground`, 'stays in the foreground until Ctrl-C'],
  [`${CALL} status [--json]`, 'shows every process: state, ports, restarts, memory; ends with 1 if one is down'],
  [`${CALL} logs [name] [--follow] [--lines n]`, 'prints the log of one process, or of all services'],
  [`${CALL} scale <service> <n>`, 'starts or stops instances of a service'],
  [`${CALL} restart <name>`, 'stops a process in order, and starts it'],
  [`${CALL} kill <name>`, 'kills a process (kill -9); the supervisor starts it again'],
  [`${CALL} stop [name]`, 'stops everything, or one process, which then stays down'],
  [`${CALL} start <name>`, 'starts a process that was stopped'],
];

const SETTINGS: readonly (readonly [name: string, help: string])[] = [
  ['VUKA_STACK_DIR', `the stack's folder (else VUKA_DATA_DIR, else ${DEFAULT_STACK_FOLDER})`],
  ['PORT, HOST', 'address of the API; without PORT it takes the last port, or any free one'],
  ['VUKA_STACK_KAFKA', 'host:port of a running broker; without it, the stack starts its own Kafka'],
  ['VUKA_STACK_ENV_<SERVICE>', 'settings of one service, as JSON: VUKA_STACK_ENV_PAYMENTS=\'{"LOG_LEVEL":"debug"}\''],
  ['VUKA_SANDBOX_CHAINS', 'chains that it runs a node for: all (default), none, or CELO,BASE'],
  ['RATE_LIMIT_*, LOG_LEVEL, …', 'as for npm start (README.md); every service gets them'],
];

export function stackHelp(paint: Paint = plainPaint): string {
  return [
    `${paint.bold('stack')}: Vuka as it is deployed, on this machine and without Docker. Kafka, Redis, PostgreSQL, a node for each chain,`,
    'two sandbox providers and the six services, each a process of its own, in one folder.',
    '',
    ...aligned(COMMANDS, paint),
    '',
    'A name is one that status lists, such as payments (all its instances), payments-2 (one instance), chain-celo, kafka, redis or postgres.',
    '',
    paint.bold('Settings'),
    ...aligned(SETTINGS, paint),
    '',
    `npm run vuka, npm run ledger:check and npm run demo -- --stack work on the stack: VUKA_DATA_DIR=${DEFAULT_STACK_FOLDER} npm run vuka -- stuck`,
    'Kafka needs Java 17 or later. Exit codes: 0 done, 1 a problem, 2 wrong usage.',
  ].join('\n');
}

function aligned(rows: readonly (readonly [string, string])[], paint: Paint): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${paint.cyan(left.padEnd(width))}  ${right}`);
}
