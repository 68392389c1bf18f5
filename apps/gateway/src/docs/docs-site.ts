import type { Currencies, Currency } from '@vuka/domain';

import type { PublishedFiles } from '../http/index.js';
import { openApiDocument } from '../openapi/index.js';
import type { JsonSchema, OperationTable } from '../operations/index.js';
import { docsFiles } from './docs-files.js';

/** What this gateway publishes about itself, by the terms in force. */
export class DocsSite {
  private made: Promise<PublishedFiles> | undefined;

  constructor(
    private readonly document: JsonSchema,
    private readonly sandbox: boolean,
  ) {}

  /** The document is made at boot. */
  static of(table: OperationTable, currencies: Currencies, sandbox: boolean): DocsSite {
    const all = Object.values<Currency>(currencies);
    return new DocsSite(openApiDocument({ table, sandbox, currencies: all, today: new Date() }), sandbox);
  }

  /** Made once, when somebody asks: a gateway that nobody reads starts sooner. */
  files(): Promise<PublishedFiles> {
    this.made ??= docsFiles(this.document, this.sandbox).catch((error: unknown) => {
      this.made = undefined;
      throw error;
    });
    return this.made;
  }
}
