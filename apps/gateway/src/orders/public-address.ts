import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import { reachableUrl } from '@vuka/http';
import { SETTINGS } from '@vuka/service-host';

@Injectable()
export class PublicAddress {
  private base: string | null;

  constructor(@Inject(SETTINGS) private readonly settings: Pick<Settings, 'env' | 'publicUrl'>) {
    this.base = settings.publicUrl ?? null;
  }

  /** Sandbox default. Live never sends payers to a process's own address. */
  listensAt(url: string): void {
    if (this.base === null && this.settings.env === 'sandbox') this.base = reachableUrl(url);
  }

  /** '' without a public address. */
  paymentUrl(pageToken: string): string {
    return this.base === null ? '' : `${this.base}/pay/${pageToken}`;
  }
}
