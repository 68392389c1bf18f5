import { EventServer } from '@vuka/messaging/event-server';
import { nestLogger } from '@vuka/runtime';
import type { CreateServiceApp } from '@vuka/service-host';

import { Edge, gatewayAdapter, NoteRefusals } from './edge/index.js';

export const createGatewayApp: CreateServiceApp = async (root, { log, events, factory }) => {
  const adapter = gatewayAdapter();
  const app = await factory.create(root, adapter, { logger: nestLogger(log), bodyParser: false, abortOnError: false });
  try {
    app.get(Edge, { strict: false }).attach(adapter.getInstance());
    app.get(NoteRefusals, { strict: false }).attach(adapter.getInstance());
    if (events) app.connectMicroservice({ strategy: app.get(EventServer, { strict: false }) });
    await app.init();
    await adapter.getInstance().ready();
  } catch (error) {
    await Promise.allSettled([app.close()]);
    throw error;
  }
  return {
    get: app.get.bind(app),
    close: () => app.close(),
    ...(events && { listen: () => app.startAllMicroservices() }),
  };
};
