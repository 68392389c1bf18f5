import type { Logger } from '@vuka/runtime';

export const OUTAGE_PAUSE_MS = 500;

/** Logs once that something is away, and once that it is back. */
export class Outage {
  private isOn = false;

  public constructor(
    private readonly log: Logger,
    private readonly group: string,
    /** Completes "events wait for …". */
    private readonly what: string,
    /** Runbook code. */
    private readonly code?: string,
  ) {}

  public began(detail: string): void {
    if (!this.isOn)
      this.log.error(
        { ...(this.code !== undefined && { code: this.code }), group: this.group, detail },
        `events wait for ${this.what}`,
      );
    this.isOn = true;
  }

  public ended(): void {
    if (this.isOn) this.log.info({ group: this.group }, `events flow again: ${this.what} answers`);
    this.isOn = false;
  }
}
