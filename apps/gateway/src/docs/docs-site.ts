import type { Currencies, Currency } from '@vuka/domain';

import type { PublishedFiles } from '../http/index.js';
import type { OperationTable } from '../operations/index.js';

/** What this gateway publishes about itself, by the terms in force. */
export class DocsSite {
  private made: Promise<PublishedFiles> | undefined;
  /** The document's examples name the days before it. */
  private readonly today = new Date();

  constructor(
    private readonly table: OperationTable,
    private readonly currencies: Currencies,
    private readonly sandbox: boolean,
  ) {}

  /** Loaded and made once, when somebody asks: a gateway that nobody reads starts sooner and stays smaller. */
  files(): Promise<PublishedFiles> {
    this.made ??= this.make().catch((error: unknown) => {
      this.made = undefined;
      throw error;
    });
    return this.made;
  }

  private async make(): Promise<PublishedFiles> {
    const { table, sandbox, today } = this;
    const [{ openApiDocument }, { docsFiles }] = await Promise.all([
      import('../openapi/index.js'),
      import('./docs-files.js'),
    ]);
    const currencies = Object.values<Currency>(this.currencies);
    return docsFiles(openApiDocument({ table, sandbox, currencies, today }), sandbox);
  }
}
