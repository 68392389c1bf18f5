import { timingSafeEqual } from 'node:crypto';

import { Injectable } from '@nestjs/common';
import { fail, ok, type Result } from '@vuka/domain';
import { Cipher } from '@vuka/runtime';

/** Owner and filters: a cursor is valid for one list only. */
export type ListScope = readonly (string | number | null)[];

export type PagePosition = readonly string[];

/** Changes with the meaning of a position. */
const VERSION = 'v1';

/** Opaque to partners; a keyed check rejects forged cursors. */
@Injectable()
export class PageCursors {
  constructor(private readonly cipher: Cipher) {}

  /** At most 200 characters, as in the contract. */
  seal(scope: ListScope, position: PagePosition): string {
    const text = Buffer.from(JSON.stringify(position)).toString('base64url');
    return `${text}.${this.checkOf(scope, text)}`;
  }

  /** Errors: invalid_request, if not sealed for this list. */
  open(scope: ListScope, cursor: string): Result<PagePosition> {
    const [text = ''] = cursor.split('.', 1);
    const expected = Buffer.from(`${text}.${this.checkOf(scope, text)}`);
    const sent = Buffer.from(cursor);
    if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return foreign();
    return ok(JSON.parse(Buffer.from(text, 'base64url').toString()) as PagePosition);
  }

  private checkOf(scope: ListScope, position: string): string {
    return this.cipher.blindIndex(`cursor:${VERSION}:${JSON.stringify(scope)}:${position}`);
  }
}

function foreign(): Result<never> {
  const detail = 'cursor must be the next_cursor of a page of this very list, with the same filters';
  return fail({ code: 'invalid_request', message: detail, faults: [{ detail, pointer: '/cursor' }] });
}
