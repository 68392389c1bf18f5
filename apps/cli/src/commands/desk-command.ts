import { parseArgs } from 'node:util';

import { COMMAND_NAMES, COMMANDS, type CommandName } from './command-list.js';
import type { CommandHelp } from './command-options.js';
import { WrongUsage, type Words } from './command-words.js';
import { FOLDER_COMMANDS } from './folder-commands.js';
import { MONEY_COMMANDS } from './money-commands.js';
import { readMoneyCommand, type MoneyCommand } from './money-words.js';
import { PARTNER_COMMANDS } from './partner-commands.js';
import { readPartnerCommand, type PartnerCommand } from './partner-words.js';
import { readTroubleCommand, type TroubleCommand } from './trouble-words.js';

/** What somebody asked the desk to do, checked as far as it can be without looking anything up. */
export type DeskCommand = TroubleCommand | PartnerCommand | MoneyCommand | FolderCommand;

/** About a folder that nothing works on. */
export interface FolderCommand {
  readonly name: keyof typeof FOLDER_COMMANDS;
}

export type ParsedArguments =
  | { readonly kind: 'command'; readonly command: DeskCommand; readonly json: boolean }
  | { readonly kind: 'help'; readonly about: CommandName | null }
  /** `about`: the command it was meant to be, where that is known. */
  | {
      readonly kind: 'wrong_usage';
      readonly problem: string;
      readonly about: CommandName | null;
      readonly json: boolean;
    };

/** Reads the words behind `vuka`; `operator`: whose name stands where no --by does. Never throws: what cannot be read is wrong usage, in a sentence. */
export function parseDeskArguments(argv: readonly string[], operator: string | null = null): ParsedArguments {
  const json = argv.includes('--json');
  const [first] = argv.filter((word) => !word.startsWith('-'));
  const name = COMMAND_NAMES.find((known) => known === first) ?? null;
  const asksForHelp = argv.includes('--help') || argv.includes('-h') || first === 'help' || argv.length === 0;
  if (asksForHelp) return { kind: 'help', about: name ?? COMMAND_NAMES.find((known) => argv.includes(known)) ?? null };
  if (name === null) {
    const problem = first === undefined ? 'Say what to do: a command comes first.' : `There is no command "${first}".`;
    return { kind: 'wrong_usage', problem, about: null, json };
  }
  try {
    return { kind: 'command', command: readCommand(name, argv, operator), json };
  } catch (error) {
    if (!(error instanceof WrongUsage)) throw error;
    return { kind: 'wrong_usage', problem: error.message, about: name, json };
  }
}

function readCommand(name: CommandName, argv: readonly string[], operator: string | null): DeskCommand {
  const words = { ...readWords(name, argv), operator };
  const expected = COMMANDS[name].positional;
  const given = words.positionals.length;
  if (given > (expected === null ? 0 : name.startsWith('switch-') ? 2 : 1))
    throw new WrongUsage(`One word too many: "${words.positionals.at(-1) ?? ''}".`);
  if (expected !== null && given === 0) throw new WrongUsage(`${name} needs ${expected}.`);
  if (isOf(PARTNER_COMMANDS, name)) return readPartnerCommand(name, words);
  if (isOf(MONEY_COMMANDS, name)) return readMoneyCommand(name, words);
  return isOf(FOLDER_COMMANDS, name) ? { name } : readTroubleCommand(name, words);
}

function isOf<C extends object>(commands: C, name: CommandName): name is CommandName & keyof C {
  return Object.hasOwn(commands, name);
}

function readWords(name: CommandName, argv: readonly string[]): Omit<Words, 'operator'> {
  const known: CommandHelp['options'] = COMMANDS[name].options;
  const options: Record<string, { type: 'string' | 'boolean' }> = { json: { type: 'boolean' } };
  for (const [option, { type }] of Object.entries(known)) options[option] = { type };
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
    const rest = positionals.filter((word, index) => !(word === name && positionals.indexOf(word) === index));
    return { options: values, positionals: rest };
  } catch (error) {
    const [, option] = /'(-{1,2}[^'\s=]+)/.exec((error as Error).message) ?? [];
    const isKnown = option !== undefined && option.replace(/^-+/, '') in options;
    throw new WrongUsage(
      isKnown
        ? `${option} needs a value.`
        : option === undefined
          ? (error as Error).message
          : `${name} has no option ${option}.`,
    );
  }
}
