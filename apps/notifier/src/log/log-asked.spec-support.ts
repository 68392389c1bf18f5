import { notifierApi, type CallContext, type DeliveryView } from '@vuka/contracts';
import type { Result } from '@vuka/domain';

import type { DeliveryFixture } from '../testing/delivery-fixture.spec-support.js';

export const context: CallContext = {
  requestId: 'r',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  deadline: Date.now() + 60_000,
};

type ListInput = Parameters<DeliveryFixture['operations']['listDeliveries']>[0];
type ResendInput = Parameters<DeliveryFixture['operations']['resendDeliveries']>[0];
interface Page {
  readonly deliveries: readonly DeliveryView[];
  readonly next_cursor: string | null;
}

export const valueOf = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
};

/** Partner 1 by default. */
export class LogAsked {
  public constructor(private readonly fixture: () => DeliveryFixture) {}

  public readonly page = async (wanted: Partial<ListInput> = {}): Promise<Page> => {
    const input = {
      partner_id: 1,
      state: null,
      event: null,
      transaction_code: null,
      order_id: null,
      from: null,
      before: null,
      cursor: null,
      limit: 50,
      ...wanted,
    };
    // As the gateway receives it.
    return notifierApi.operations.listDeliveries.output.parse(
      valueOf(await this.fixture().operations.listDeliveries(input, context)),
    );
  };

  public readonly ids = async (wanted: Partial<ListInput> = {}): Promise<string[]> =>
    (await this.page(wanted)).deliveries.map(({ webhook_id }) => webhook_id);

  public readonly resend = (id: number, partnerId = 1) =>
    this.fixture().operations.resendDelivery({ partner_id: partnerId, delivery_id: id }, context);

  public readonly resendAll = (wanted: Partial<ResendInput> = {}) =>
    this.fixture().operations.resendDeliveries(
      { partner_id: 1, state: 'failed', event: null, from: null, before: null, cursor: null, ...wanted },
      context,
    );

  public readonly rowsOf = () =>
    this.fixture().db.query('select id, state, attempts, next_attempt_at, resent_at from deliveries order by id');
}
