import { timingSafeEqual } from 'node:crypto';

import { Injectable } from '@nestjs/common';
import { fail, ok, type Result } from '@vuka/domain';
import { Cipher } from '@vuka/runtime';

/** Whose list it is and what it shows: a cursor of one is none of another. */
export type ListScope = readonly (string | number | null)[];

/** Where a page ended: what its list needs to go on behind it. */
export type PagePosition = readonly string[];

/** Changes with the meaning of a position. */
const VERSION = 'v1';

/** Cursors of lists: opaque to partners, bound to one list by a keyed check, so that none made or changed elsewhere is taken. */
@Injectable()
export class PageCursors {
  constructor(private readonly cipher: Cipher) {}

  /** At most 200 characters, as the contract has it: positions are short. */
  seal(scope: ListScope, position: PagePosition): string {
    const text = Buffer.from(JSON.stringify(position)).toString('base64url');
    return `${text}.${this.checkOf(scope, text)}`;
  }

  /** Errors: invalid_request, for whatever was not sealed for this very list. */
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
