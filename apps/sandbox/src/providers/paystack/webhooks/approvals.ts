import type { PaystackBook } from '../book/paystack-book.js';
import type { Transfer } from '../book/transfer.js';
import { jsonInteger } from '../data/json-integer.js';
import type { Account } from '../http/account.js';
import { initiatedView, recipientView } from '../http/views.js';
import { signedWebhook } from './signed-webhook.js';

/** Asks the merchant's server before a transfer is released: 200 lets it go, 400 rejects it, all else blocks it [D]. */
export class Approvals {
  readonly #inFlight = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(
    private readonly account: () => Account,
    private readonly book: PaystackBook,
  ) {}

  ask(transfer: Transfer): void {
    const asking = this.#ask(transfer).finally(() => this.#inFlight.delete(asking));
    this.#inFlight.add(asking);
  }

  /** Until all that were asked for are decided. */
  async decided(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#inFlight);
  }

  async #ask(transfer: Transfer): Promise<void> {
    const status = await this.#post(transfer);
    // Asked again after a restart.
    if (this.#stop.signal.aborted || !this.book.hasRoom) return;
    this.book.decide(transfer, status === 200 ? 'pending' : status === 400 ? 'rejected' : 'blocked');
  }

  async #post(transfer: Transfer): Promise<number | null> {
    const account = this.account();
    const { url, form, signed, timeoutMs } = account.settings.approval;
    if (url === null) return null;
    const body = JSON.stringify(form === 'flat' ? flatQuestion(transfer) : nestedQuestion(account, transfer));
    try {
      const response = await fetch(url, {
        ...signedWebhook(account.secret, body, signed ? undefined : 'unsigned'),
        method: 'POST',
        redirect: 'manual',
        signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(timeoutMs)]),
      });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return null;
    }
  }
}

/** As integrators read it [I]. */
function flatQuestion({ accepted: { request }, amount }: Transfer): object {
  return { ...request, amount: jsonInteger(amount) };
}

/** As one integrator logged it [I]: the transfers, and the request as it came. The name of the event is not published [K]. */
function nestedQuestion(account: Account, transfer: Transfer): object {
  const { request, recipient } = transfer.accepted;
  const body = { source: 'balance', ...request, amount: jsonInteger(transfer.amount) };
  const asked = { ...initiatedView(account, transfer), recipient: recipientView(account, recipient) };
  return { event: 'transferrequest.approval-required', data: { transfers: [asked], details: { body } } };
}
