import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import { reachableUrl } from '@vuka/http';
import { SETTINGS } from '@vuka/service-host';

/** Where payers find this gateway's pages, as partners are told. */
@Injectable()
export class PublicAddress {
  private base: string | null;

  constructor(@Inject(SETTINGS) private readonly settings: Pick<Settings, 'env' | 'publicUrl'>) {
    this.base = settings.publicUrl ?? null;
  }

  /** What it is where no address is set: the sandbox's own. In live nobody is sent to where a process listens. */
  listensAt(url: string): void {
    if (this.base === null && this.settings.env === 'sandbox') this.base = reachableUrl(url);
  }

  /** The page of one order, '' where this deployment has no public address. */
  paymentUrl(pageToken: string): string {
    return this.base === null ? '' : `${this.base}/pay/${pageToken}`;
  }
}
