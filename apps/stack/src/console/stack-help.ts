import { DEFAULT_STACK_FOLDER } from '@vuka/data-folder';
import { plainPaint, type Paint } from '@vuka/terminal';

import { CALL } from './stack-banner.js';
import { MOST_INSTANCES } from '../parts/stack-settings.js';

const COMMANDS: readonly (readonly [usage: string, help: string])[] = [
  ['npm run stack', 'starts everything in the background; comes back when it is ready'],
  [`${CALL} --instances 2`, `so many of each service (1 to ${MOST_INSTANCES})`],
  [`${CALL} --foreground`, 'stays, until Ctrl-C'],
  [`${CALL} status [--json]`, 'every process: state, ports, restarts, memory; ends with 1 where one is down'],
  [`${CALL} logs [name] [--follow] [--lines n]`, 'what it says, or what all services say'],
  [`${CALL} scale <service> <n>`, 'more of a service, or fewer'],
  [`${CALL} restart <name>`, 'stopped in order, and started'],
  [`${CALL} kill <name>`, 'kill -9; the supervisor starts it again'],
  [`${CALL} stop [name]`, 'everything, or one process, which then stays down'],
  [`${CALL} start <name>`, 'what was stopped'],
];

const SETTINGS: readonly (readonly [name: string, help: string])[] = [
  ['VUKA_STACK_DIR', `the stack's folder (else VUKA_DATA_DIR, else ${DEFAULT_STACK_FOLDER})`],
  ['PORT, HOST', 'of the API; without PORT the one of last time, or any that is free'],
  ['VUKA_STACK_KAFKA', 'host:port of a broker that runs; without it the stack has a Kafka of its own'],
  ['VUKA_STACK_ENV_<SERVICE>', 'settings of one service, as JSON: VUKA_STACK_ENV_PAYMENTS=\'{"LOG_LEVEL":"debug"}\''],
  ['VUKA_SANDBOX_CHAINS', 'chains that it runs a node for: all (default), none, or CELO,BASE'],
  ['RATE_LIMIT_*, LOG_LEVEL, …', 'as of npm start (README.md): passed on to every service'],
];

export function stackHelp(paint: Paint = plainPaint): string {
  return [
    `${paint.bold('stack')}: Vuka as it is deployed, on this machine and without Docker. Kafka, Redis, PostgreSQL, a node for each chain,`,
    'two sandbox providers and the six services, each a process of its own, in one folder.',
    '',
    ...aligned(COMMANDS, paint),
    '',
    'A name is one of status: a service (payments: all its instances; payments-2: one), sandbox-provider, chain-celo, kafka, redis, postgres.',
    '',
    paint.bold('Settings'),
    ...aligned(SETTINGS, paint),
    '',
    `npm run vuka, npm run ledger:check and npm run demo -- --stack work on it: VUKA_DATA_DIR=${DEFAULT_STACK_FOLDER} npm run vuka -- stuck`,
    'Kafka needs Java 17 or later. Ends with 0: done; 1: a problem; 2: asked the wrong way.',
  ].join('\n');
}

function aligned(rows: readonly (readonly [string, string])[], paint: Paint): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${paint.cyan(left.padEnd(width))}  ${right}`);
}
