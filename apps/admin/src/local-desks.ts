import { openCheckoutDesk, type CheckoutDeskMethods } from '@vuka/checkout';
import type { OpenDesk } from '@vuka/contracts';
import type { DeskName, Secrets } from '@vuka/data-folder';
import { openGatewayDesk, type GatewayDeskMethods } from '@vuka/gateway';
import { localDesk } from '@vuka/http';
import { openNotifierDesk, type NotifierDeskMethods } from '@vuka/notifier';
import { openOfframpDesk, type OfframpDeskMethods } from '@vuka/offramp';
import { openPaymentsDesk, type PaymentsDeskMethods } from '@vuka/payments';
import type { DatabaseConfig } from '@vuka/persistence';
import type { Logger } from '@vuka/runtime';
import type { DeskGround } from '@vuka/service-host';

import type { ServiceDesks } from './service-desks.js';

/** The desks of the services, open and to be closed. */
export interface OpenDesks {
  readonly desks: ServiceDesks;
  close(): Promise<void>;
}

/** What people ask takes few connections, and none of the services' own. */
const CONNECTIONS = 3;

interface Methods {
  readonly payments: PaymentsDeskMethods;
  readonly notifier: NotifierDeskMethods;
  readonly offramp: OfframpDeskMethods;
  readonly checkout: CheckoutDeskMethods;
  readonly gateway: GatewayDeskMethods;
}

/** How each service's desk is opened on its tables. */
export const OPEN_DESK: { readonly [K in DeskName]: (ground: DeskGround) => Promise<OpenDesk<Methods[K]>> } = {
  payments: openPaymentsDesk,
  notifier: openNotifierDesk,
  offramp: openOfframpDesk,
  checkout: openCheckoutDesk,
  gateway: openGatewayDesk,
};

/** A service's own login on its own schema, for its desk. */
export function deskDatabase(
  server: { readonly host: string; readonly port: number; readonly name: string },
  service: string,
  secrets: Secrets,
  log: Logger,
  statementTimeoutMs: number,
): Omit<DatabaseConfig, 'migrations' | 'entities'> {
  return {
    host: server.host,
    port: server.port,
    user: `vuka_${service}`,
    password: secrets.databasePassword(service),
    database: server.name,
    schema: service,
    maxConnections: CONNECTIONS,
    applicationName: `vuka desk ${service}`,
    statementTimeoutMs,
    log,
  };
}

/** Opens them on their tables, each checked before the next one is opened. Where one fails, those that are open are closed before this throws. */
export async function openLocalDesks(
  groundOf: (service: DeskName) => DeskGround,
  check: (desk: OpenDesk) => Promise<void>,
): Promise<OpenDesks> {
  const opened: OpenDesk[] = [];
  const close = async (): Promise<void> => void (await Promise.all(opened.map((desk) => desk.close())));
  const opening = async <D extends OpenDesk>(
    service: DeskName,
    open: (ground: DeskGround) => Promise<D>,
  ): Promise<D> => {
    const desk = await open(groundOf(service));
    opened.push(desk);
    await check(desk);
    return desk;
  };
  try {
    const payments = localDesk((await opening('payments', OPEN_DESK.payments)).methods, null);
    const notifier = localDesk((await opening('notifier', OPEN_DESK.notifier)).methods, null);
    const offramp = localDesk((await opening('offramp', OPEN_DESK.offramp)).methods, null);
    const checkout = localDesk((await opening('checkout', OPEN_DESK.checkout)).methods, null);
    const gateway = localDesk((await opening('gateway', OPEN_DESK.gateway)).methods, null);
    return { desks: { payments, notifier, offramp, checkout, gateway }, close };
  } catch (error) {
    await close();
    throw error;
  }
}
