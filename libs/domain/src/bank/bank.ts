import type { Currency } from '../currency/currency.js';
import { CURRENCIES } from '../currency/registry.js';
import { fail, ok, type Problem, type Result } from '../result/result.js';
import type { BankData } from './bank-data.js';

export interface Bank {
  readonly code: string;
  readonly name: string;
  readonly accountDigits?: number;
}

type Entry =
  | { readonly kind: 'usable'; readonly bank: Bank }
  /** `why` completes "bank_code …". */
  | { readonly kind: 'refused'; readonly why: string };

interface Directory {
  readonly banks: readonly Bank[];
  readonly byIdentifier: ReadonlyMap<string, Entry>;
  readonly codesOfName: ReadonlyMap<string, ReadonlySet<string>>;
}

const NO_BANKS: Directory = { banks: [], byIdentifier: new Map(), codesOfName: new Map() };
/** Only ASCII: other letters can fold to it (the Kelvin sign), and no code has them. */
const IDENTIFIER = /^[ -~]{1,64}$/;

const fold = (text: string): string => text.trim().toLowerCase();

function aliasesOf(row: BankData): string[] {
  return [row.paybill, row.nip, row.swift, ...(row.alt_codes ?? [])].filter((alias) => alias !== undefined).map(fold);
}

function whyUnusable(row: BankData, rowsWithItsCode: number): string | null {
  if (row.status === 'defunct') return `names ${row.name}, which no longer exists`;
  if (rowsWithItsCode > 1) return 'is used by more than one bank, so it names none';
  return null;
}

function bankOfRow({ code, name, acct_length }: BankData): Bank {
  return { code, name, ...(acct_length !== undefined && { accountDigits: acct_length }) };
}

/** Canonical codes win. An alias of two rows, usable or not, names no bank (decisions.md section 1). */
function buildDirectory(rows: readonly BankData[]): Directory {
  const rowsOfCode = new Map<string, number>();
  for (const { code } of rows) rowsOfCode.set(fold(code), (rowsOfCode.get(fold(code)) ?? 0) + 1);
  const banks: Bank[] = [];
  const byIdentifier = new Map<string, Entry>();
  const rowsByAlias = new Map<string, Set<BankData>>();
  const entryOf = new Map<BankData, Entry>();
  for (const row of rows) {
    const why = whyUnusable(row, rowsOfCode.get(fold(row.code)) ?? 0);
    const entry: Entry = why === null ? { kind: 'usable', bank: bankOfRow(row) } : { kind: 'refused', why };
    if (entry.kind === 'usable') banks.push(entry.bank);
    entryOf.set(row, entry);
    byIdentifier.set(fold(row.code), entry);
    for (const alias of aliasesOf(row)) rowsByAlias.set(alias, (rowsByAlias.get(alias) ?? new Set()).add(row));
  }
  for (const [alias, owners] of rowsByAlias) {
    if (rowsOfCode.has(alias)) continue;
    const [only, second] = owners;
    const entry = only === undefined ? undefined : entryOf.get(only);
    if (entry === undefined) continue;
    byIdentifier.set(
      alias,
      second === undefined ? entry : { kind: 'refused', why: 'is used by more than one bank, so it names none' },
    );
  }
  const codesOfName = new Map<string, Set<string>>();
  for (const { code, name } of rows) codesOfName.set(fold(name), (codesOfName.get(fold(name)) ?? new Set()).add(code));
  return { banks, byIdentifier, codesOfName };
}

const DIRECTORIES: ReadonlyMap<string, Directory> = new Map(
  Object.values<Currency>(CURRENCIES).map(({ code, banks }) => [code, buildDirectory(banks)]),
);

/** Usable banks, in the published order. */
export function banksOf(currency: string): readonly Bank[] {
  return (DIRECTORIES.get(currency) ?? NO_BANKS).banks;
}

/**
 * Canonical code or unique alias (paybill, alternative code, NIP, SWIFT), in any letter case. Error:
 * unknown_bank.
 */
export function resolveBank(currency: string, codeAsSent: string): Result<Bank, Problem> {
  const directory = DIRECTORIES.get(currency) ?? NO_BANKS;
  const entry = IDENTIFIER.test(codeAsSent) ? directory.byIdentifier.get(codeAsSent.toLowerCase()) : undefined;
  if (entry?.kind === 'usable') return ok(entry.bank);
  const why =
    entry === undefined ? `is not in the list of ${currency} banks (/v1/banks/${currency.toLowerCase()})` : entry.why;
  return fail<Problem>({ code: 'unknown_bank', message: `bank_code ${why}` });
}

/**
 * Ignores letter case and outer spaces. Unusable banks count too: a client that sends their name does not mean
 * `bank`.
 */
export function isNameOfAnother(currency: string, name: string, bank: Bank): boolean {
  const codes = (DIRECTORIES.get(currency) ?? NO_BANKS).codesOfName.get(fold(name));
  return codes !== undefined && !codes.has(bank.code);
}
