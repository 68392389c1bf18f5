import { Command, type CommanderError, Option } from 'commander';

import { COMMAND_NAMES, COMMANDS, type CommandName } from './command-list.js';
import type { CommandHelp } from './command-options.js';
import { WrongUsage, type Words } from './command-words.js';

export type Typed =
  | { readonly kind: 'command'; readonly name: CommandName; readonly words: Omit<Words, 'operator'> }
  | { readonly kind: 'help'; readonly about: CommandName | null }
  | { readonly kind: 'wrong_usage'; readonly about: CommandName | null; readonly problem: string };

const HELP_CODES = new Set(['commander.help', 'commander.helpDisplayed']);
/** A chain and, optionally, its token; two people. */
const TWO_WORDS = new Set<CommandName>(['switch-off', 'switch-on', 'operators-begin']);

/** Stops commander, which would end the process. */
class Ended extends Error {
  constructor(readonly typed: Typed) {
    super(typed.kind);
  }
}

export function readTyped(argv: readonly string[]): Typed {
  const found: Extract<Typed, { kind: 'command' }>[] = [];
  try {
    programOf((command) => found.push(command)).parse(commandFirst(argv), { from: 'user' });
  } catch (error) {
    if (error instanceof Ended) return error.typed;
    throw error;
  }
  return found[0] ?? { kind: 'help', about: null };
}

function commandFirst(argv: readonly string[]): string[] {
  const place = Math.max(
    0,
    argv.findIndex((word) => !word.startsWith('-')),
  );
  return [...argv.slice(place, place + 1), ...argv.slice(0, place), ...argv.slice(place + 1)];
}

function programOf(take: (command: Extract<Typed, { kind: 'command' }>) => void): Command {
  const program = quiet(new Command('vuka'))
    .option('--json')
    .helpOption('-h, --help')
    .helpCommand('help [command]')
    .exitOverride((error) => {
      throw new Ended(endOf(error, program));
    });
  for (const name of COMMAND_NAMES) program.addCommand(commandOf(name, program, take));
  return program;
}

function commandOf(name: CommandName, program: Command, take: Parameters<typeof programOf>[0]): Command {
  const { positional, options }: CommandHelp = COMMANDS[name];
  const flags = Object.entries(options).map(([option, { type, help }]) => ({
    option,
    flag: new Option(type === 'string' ? `--${option} <value>` : `--${option}`, help),
  }));
  const command = quiet(new Command(name)).exitOverride((error) => {
    throw new Ended(endOfCommand(error, name, command));
  });
  if (positional !== null) command.argument('<word>');
  if (TWO_WORDS.has(name)) command.argument('[second]');
  for (const { flag } of flags) command.addOption(flag);
  return command.action(() => {
    const values = command.opts<Record<string, string | boolean | undefined>>();
    const given = flags.map(({ option, flag }) => [option, values[flag.attributeName()]] as const);
    const { json } = program.opts<{ json?: boolean }>();
    const words = { options: { ...Object.fromEntries(given), json }, positionals: command.args };
    take({ kind: 'command', name, words });
  });
}

function quiet(command: Command): Command {
  const nothing = (): void => undefined;
  return command
    .configureOutput({ writeOut: nothing, writeErr: nothing })
    .allowExcessArguments(false)
    .showSuggestionAfterError(false);
}

function endOf({ code, message }: CommanderError, program: Command): Typed {
  if (HELP_CODES.has(code)) {
    const isAskedFor = program.args.length > 0 || code === 'commander.helpDisplayed';
    if (isAskedFor || program.opts<{ json?: boolean }>().json !== true) return { kind: 'help', about: null };
  }
  if (code !== 'commander.unknownCommand')
    return { kind: 'wrong_usage', about: null, problem: 'The command is missing.' };
  const [, word = ''] = /'([^']*)'/.exec(message) ?? [];
  return { kind: 'wrong_usage', about: null, problem: `There is no command "${word}".` };
}

function endOfCommand({ code, message }: CommanderError, name: CommandName, { args }: Command): Typed {
  if (HELP_CODES.has(code)) return { kind: 'help', about: name };
  const [, option = ''] = /'(-[^\s'=]+)/.exec(message) ?? [];
  const problems: Readonly<Record<string, string>> = {
    'commander.missingArgument': `${name} needs ${COMMANDS[name].positional ?? ''}.`,
    'commander.excessArguments': `"${args.at(-1) ?? ''}" is one word too many.`,
    'commander.optionMissingArgument': `${option} needs a value.`,
    'commander.unknownOption': `${name} has no option ${option}.`,
  };
  return { kind: 'wrong_usage', about: name, problem: problems[code] ?? message };
}

/** An option where a value belongs: the value was forgotten. Throws WrongUsage. */
export function refuseOptionsAsValues({ options }: Pick<Words, 'options'>): void {
  const [wrong] = Object.entries(options).filter(([, value]) => typeof value === 'string' && value.startsWith('--'));
  if (wrong !== undefined) throw new WrongUsage(`--${wrong[0]} needs a value.`);
}
