export interface Option {
  readonly type: 'string' | 'boolean';
  /** What stands behind it in the help; '' for a switch. */
  readonly value: string;
  readonly help: string;
}

export interface CommandHelp {
  /** One line for the list of all. */
  readonly summary: string;
  /** What must stand behind the name, as a sentence goes on ("show needs …"); null: nothing. */
  readonly positional: string | null;
  readonly usage: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  /** What a person should know before pressing return. */
  readonly words: readonly string[];
  readonly examples: readonly string[];
}

export const REASON: Option = { type: 'string', value: '"…"', help: 'why, and where that can be seen' };
export const BY: Option = { type: 'string', value: 'NAME', help: 'who you are; it goes on the record' };
