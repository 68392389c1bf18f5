export interface Call {
  readonly method?: string;
  readonly path: string;
  /** Objects are sent as JSON, text and bytes as they are. */
  readonly body?: object | string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: Envelope | undefined;
}

/** The response envelope of interface.md; errors have no `data`. */
export interface Envelope {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  readonly next_cursor?: string | null;
}
