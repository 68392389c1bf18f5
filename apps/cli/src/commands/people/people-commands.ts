import { BY, REASON, type CommandHelp, type Option } from '../command-options.js';

const ROLE: Option = {
  type: 'string',
  value: 'R',
  help: 'viewer, support, money or admin: each may what those before it may',
};
const HASH: Option = {
  type: 'string',
  value: 'H',
  help: 'what operator-credential has printed for that person: never the credential itself',
};
const AGREED = 'It waits until a second person approves it (approvals).';

export const PEOPLE_COMMANDS = {
  approvals: {
    summary: 'show what waits for a second person, with what each will do and post',
    positional: null,
    usage: ['approvals [--all]'],
    options: { all: { type: 'boolean', value: '', help: 'those that are over, too' } },
    words: ['Reads only. It also lists proposals of adjustments and floats, which have commands of their own.'],
    examples: ['approvals'],
  },
  decline: {
    summary: 'decline what waits for a second person; whoever asked may take it back with it',
    positional: 'the number of an approval',
    usage: ['decline <approval> --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: ['Nothing was done, and nothing will be.'],
    examples: ['decline a12 --reason "not what the partner asked for" --by "Ben Mwangi"'],
  },
  operators: {
    summary: 'list the people who may use these commands, and who let them in',
    positional: null,
    usage: ['operators'],
    options: {},
    words: ['Reads only. Accounts that go back to one person cannot approve what the other asked for.'],
    examples: ['operators'],
  },
  'operator-make': {
    summary: 'let a person in; a second person approves it',
    positional: 'the name',
    usage: ['operator-make NAME --role R --credential-sha256 H --reason "…" --by NAME'],
    options: { role: ROLE, 'credential-sha256': HASH, reason: REASON, by: BY },
    words: ['The person makes the credential with operator-credential and tells you its hash. ' + AGREED],
    examples: [
      'operator-make "Cyd Achieng" --role support --credential-sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 --reason "on shift from Monday" --by "Ann Otieno"',
    ],
  },
  'operator-role': {
    summary: 'give a person another role; a second person approves it',
    positional: 'the name',
    usage: ['operator-role NAME --role R --reason "…" --by NAME'],
    options: { role: ROLE, reason: REASON, by: BY },
    words: [AGREED],
    examples: ['operator-role "Cyd Achieng" --role money --reason "trained" --by "Ann Otieno"'],
  },
  'operator-recover': {
    summary: 'give a person who lost a credential another one; a second person approves it',
    positional: 'the name',
    usage: ['operator-recover NAME --credential-sha256 H --reason "…" --by NAME'],
    options: { 'credential-sha256': HASH, reason: REASON, by: BY },
    words: ['Know who asks: see the person. The old credential opens nothing from then on. ' + AGREED],
    examples: [
      'operator-recover "Cyd Achieng" --credential-sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 --reason "laptop lost" --by "Ann Otieno"',
    ],
  },
  'operator-remove': {
    summary: 'shut a person out, at once',
    positional: 'the name',
    usage: ['operator-remove NAME --reason "…" --by NAME'],
    options: { reason: REASON, by: BY },
    words: ['One person is enough. The name is never given again.'],
    examples: ['operator-remove "Cyd Achieng" --reason "has left" --by "Ann Otieno"'],
  },
} as const satisfies Record<string, CommandHelp>;
