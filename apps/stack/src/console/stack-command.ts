import { SERVICE_NAMES, type ServiceName } from '@vuka/contracts';
import { isServiceName } from '@vuka/data-folder';

import { MOST_INSTANCES, parseInstances } from '../parts/stack-settings.js';

export type StackCommand =
  | { readonly kind: 'start'; readonly foreground: boolean; readonly instances: number | null }
  | { readonly kind: 'status'; readonly json: boolean }
  | { readonly kind: 'logs'; readonly about: string | null; readonly follow: boolean; readonly lines: number }
  | { readonly kind: 'stop'; readonly name: string | null }
  | { readonly kind: 'begin'; readonly name: string }
  | { readonly kind: 'restart'; readonly name: string }
  | { readonly kind: 'kill'; readonly name: string }
  | { readonly kind: 'scale'; readonly service: ServiceName; readonly instances: number };

export type ParsedCommand =
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly problem: string }
  | { readonly kind: 'command'; readonly command: StackCommand };

const OPTIONS: Readonly<Record<string, Readonly<Record<string, boolean>>>> = {
  start: { foreground: false, instances: true },
  status: { json: false },
  logs: { follow: false, lines: true },
  stop: {},
  restart: {},
  kill: {},
  scale: {},
};
const MOST_WORDS: Readonly<Record<string, number>> = { status: 0, scale: 2 };
const LINES = 50;
const MOST_LINES = 100_000;
const NAME = /^[a-z]+(-[a-z0-9]+)*$/;

interface Words {
  readonly plain: readonly string[];
  readonly options: ReadonlyMap<string, string>;
}

export function parseStackCommand(argv: readonly string[]): ParsedCommand {
  if (argv.some((word) => word === '--help' || word === '-h' || word === 'help')) return { kind: 'help' };
  const [first = 'start'] = argv;
  const verb = first.startsWith('--') ? 'start' : first;
  const known = OPTIONS[verb];
  if (known === undefined) return wrong(`There is no command ${verb}.`);
  const words = readWords(first === verb ? argv.slice(1) : argv, known);
  return typeof words === 'string' ? wrong(`${words} (${verb})`) : commandOf(verb, words);
}

function readWords(argv: readonly string[], known: Readonly<Record<string, boolean>>): Words | string {
  const plain: string[] = [];
  const options = new Map<string, string>();
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (!word.startsWith('-')) {
      plain.push(word);
      continue;
    }
    const [name = '', value] = word.replace(/^--?/, '').split('=', 2);
    const takesValue = known[name];
    if (takesValue === undefined) return `${word} is not an option of this command`;
    if (!takesValue && value !== undefined) return `--${name} takes no value`;
    const found = takesValue ? (value ?? argv[(at += 1)]) : '';
    if (found === undefined) return `--${name} needs a value`;
    options.set(name, found);
  }
  return { plain, options };
}

function commandOf(verb: string, { plain, options }: Words): ParsedCommand {
  const [name, more] = plain;
  if (plain.length > (MOST_WORDS[verb] ?? 1)) return wrong(`${plain.at(-1) ?? ''} is one word too many.`);
  if (name !== undefined && !NAME.test(name)) return wrong(`${name} is not the name of a process.`);
  switch (verb) {
    case 'start': {
      const text = options.get('instances');
      const instances = text === undefined ? null : parseInstances(text);
      if (instances === undefined) return wrong(`--instances must be a whole number from 1 to ${MOST_INSTANCES}.`);
      return name === undefined
        ? command({ kind: 'start', foreground: options.has('foreground'), instances })
        : command({ kind: 'begin', name });
    }
    case 'status':
      return command({ kind: 'status', json: options.has('json') });
    case 'logs':
      return logsOf(name ?? null, options);
    case 'stop':
      return command({ kind: 'stop', name: name ?? null });
    case 'scale':
      return scaleOf(name, more);
    default:
      return name === undefined
        ? wrong(`${verb} needs the name of a process (npm run stack -- status lists them).`)
        : command({ kind: verb as 'restart' | 'kill', name });
  }
}

function logsOf(about: string | null, options: ReadonlyMap<string, string>): ParsedCommand {
  const text = options.get('lines') ?? String(LINES);
  const lines = /^\d{1,6}$/.test(text) ? Number(text) : -1;
  if (lines < 0 || lines > MOST_LINES) return wrong(`--lines must be a whole number from 0 to ${MOST_LINES}.`);
  return command({ kind: 'logs', about, follow: options.has('follow'), lines });
}

function scaleOf(service: string | undefined, count: string | undefined): ParsedCommand {
  if (service === undefined || !isServiceName(service))
    return wrong(`scale needs a service: one of ${SERVICE_NAMES.join(', ')}.`);
  const instances = parseInstances(count ?? '');
  if (instances === undefined) return wrong(`scale ${service} needs a whole number from 1 to ${MOST_INSTANCES}.`);
  return command({ kind: 'scale', service, instances });
}

const wrong = (problem: string): ParsedCommand => ({ kind: 'wrong', problem });
const command = (it: StackCommand): ParsedCommand => ({ kind: 'command', command: it });
