import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

import type { SimulatorClock } from '../../simulation/simulator-clock.js';
import type { PawapayBook } from '../book/pawapay-book.js';
import type { WalletId } from '../book/wallets.js';
import { secondsText } from '../data/seconds-text.js';
import type { StatementSettings } from '../settings.js';
import { statementCsv } from './statement-csv.js';

export interface StatementRequest {
  readonly wallet: WalletId;
  readonly startDate: string;
  readonly endDate: string;
  readonly callbackUrl: string;
  readonly compressed: boolean;
}

export interface Statement {
  readonly id: string;
  readonly request: StatementRequest;
  readonly createdMs: number;
  readonly readyMs: number;
}

/** Statements that were asked for since the start; a restart forgets them. */
export class Statements {
  readonly #byId = new Map<string, Statement>();

  constructor(
    private readonly settings: StatementSettings,
    private readonly clock: SimulatorClock,
    private readonly book: PawapayBook,
    private readonly baseUrl: () => string,
  ) {}

  add(request: StatementRequest): Statement {
    const createdMs = this.clock.nowMs;
    const id = uuidOf(`statement ${this.#byId.size + 1} ${createdMs}`);
    const statement = { id, request, createdMs, readyMs: createdMs + this.settings.generationMs };
    this.#byId.set(id, statement);
    return statement;
  }

  find(id: string): Statement | undefined {
    return this.#byId.get(id);
  }

  /** `data` of its status, and the body of its callback. */
  view({ id, request, createdMs, readyMs }: Statement): Record<string, unknown> {
    const { country, currency, provider } = request.wallet;
    const isReady = this.clock.nowMs >= readyMs;
    return {
      statementId: id,
      status: isReady ? 'COMPLETED' : 'PROCESSING',
      wallet: { country, currency, ...(provider !== '' && { provider }) },
      created: secondsText(createdMs),
      startDate: request.startDate,
      endDate: request.endDate,
      ...(isReady && {
        fileSize: this.#file(id).length,
        downloadUrl: this.#link(id),
        downloadUrlExpiresAt: secondsText(this.clock.nowMs + this.settings.linkMs),
        completedAt: secondsText(readyMs),
      }),
    };
  }

  /** The file behind a link; null where the link has ended or was never given. */
  download(id: string, expires: string, proof: string): Buffer | null {
    const isGood = proof === proofOf(id, expires) && this.clock.nowMs < Number(expires);
    return isGood && this.#byId.has(id) ? this.#file(id) : null;
  }

  /** Signed by itself, needs no token [I]. Asking for the status again gives a fresh one. */
  #link(id: string): string {
    const expires = String(this.clock.nowMs + this.settings.linkMs);
    return `${this.baseUrl()}/downloads/statements/${id}?expires=${expires}&proof=${proofOf(id, expires)}`;
  }

  #file(id: string): Buffer {
    const { request, readyMs } = this.#byId.get(id) as Statement;
    const wallet = this.book.wallets.at(request.wallet);
    const toMs = Math.min(timeOf(request.endDate) ?? 0, readyMs - this.settings.delayMs);
    const csv = Buffer.from(statementCsv(wallet, (of) => this.book.find(of), timeOf(request.startDate) ?? 0, toMs));
    return request.compressed ? gzipSync(csv) : csv;
  }
}

/** A time without a zone is UTC, as in pawaPay's own examples [U]; null where it is none. */
export function timeOf(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/.test(text)) return null;
  const ms = Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(ms) ? null : ms;
}

function proofOf(id: string, expires: string): string {
  return createHash('sha256').update(`${id} ${expires}`).digest('hex').slice(0, 32);
}

/** A UUIDv4 in form, the same for the same text. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
