import { type CommandName, FOLDER_COMMANDS, type OperatorCommand } from './command-list.js';
import { textIn, WrongUsage, type Words } from './command-words.js';
import { MONEY_COMMANDS } from './money-commands.js';
import { readMoneyCommand, type MoneyCommand } from './money-words.js';
import { PARTNER_COMMANDS } from './partner-commands.js';
import { readPartnerCommand, type PartnerCommand } from './partner-words.js';
import { PEOPLE_COMMANDS } from './people/people-commands.js';
import { personIn, readPeopleCommand, type PeopleCommand } from './people/people-words.js';
import { readTyped, refuseOptionsAsValues } from './program.js';
import { readTroubleCommand, type TroubleCommand } from './trouble-words.js';

export type CliCommand = TroubleCommand | PartnerCommand | MoneyCommand | PeopleCommand | FolderCommand;

export type FolderCommand = { readonly name: 'cipher-rotate' } | OperatorCommand;

export type ParsedArguments =
  | { readonly kind: 'command'; readonly command: CliCommand; readonly json: boolean }
  | { readonly kind: 'help'; readonly about: CommandName | null }
  /** `about`: the intended command, if known. */
  | {
      readonly kind: 'wrong_usage';
      readonly problem: string;
      readonly about: CommandName | null;
      readonly json: boolean;
    };

/** `operator` stands in for a missing --by. Never throws: unreadable words give wrong usage. */
export function parseCommand(argv: readonly string[], operator: string | null = null): ParsedArguments {
  const json = argv.includes('--json');
  const typed = readTyped(argv);
  if (typed.kind === 'help') return typed;
  if (typed.kind === 'wrong_usage') return { ...typed, json };
  const { name, words } = typed;
  try {
    refuseOptionsAsValues(words);
    return { kind: 'command', command: readCommand(name, { ...words, operator }), json };
  } catch (error) {
    if (!(error instanceof WrongUsage)) throw error;
    return { kind: 'wrong_usage', problem: error.message, about: name, json };
  }
}

function readCommand(name: CommandName, words: Words): CliCommand {
  if (isOf(PARTNER_COMMANDS, name)) return readPartnerCommand(name, words);
  if (isOf(MONEY_COMMANDS, name)) return readMoneyCommand(name, words);
  if (isOf(PEOPLE_COMMANDS, name)) return readPeopleCommand(name, words);
  return isOf(FOLDER_COMMANDS, name) ? readFolderCommand(name, words) : readTroubleCommand(name, words);
}

function readFolderCommand(name: keyof typeof FOLDER_COMMANDS, words: Words): FolderCommand {
  switch (name) {
    case 'cipher-rotate':
      return { name };
    case 'operators-begin':
      return { name, people: [personIn(words), personIn({ ...words, positionals: words.positionals.slice(1) })] };
    case 'operator-credential': {
      const out = textIn(words, 'out');
      if (out === null || out === '') throw new WrongUsage('--out is missing: name the file for the credential.');
      const url = textIn(words, 'url') ?? 'http://admin:3100';
      if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
        throw new WrongUsage('--url must be http://host:port.');
      return { name, person: personIn(words), out, url: new URL(url).origin };
    }
  }
}

function isOf<C extends object>(commands: C, name: CommandName): name is CommandName & keyof C {
  return Object.hasOwn(commands, name);
}
