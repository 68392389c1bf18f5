import 'reflect-metadata';

import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

import { AppModule, type UseCaseOptions } from './app.module.js';
import type { AuthenticateCaller } from './authenticate-caller.js';
import { ErrorFilter } from './http/error.filter.js';
import { gatewayAdapter } from './http/gateway-adapter.js';

export type GatewayAppOptions = UseCaseOptions & {
  readonly authenticate: Pick<AuthenticateCaller, 'run'>;
  readonly draining: { now: boolean };
};

/** The HTTP application, ready to listen; its database and its services come from outside. */
export async function createGatewayApp(options: GatewayAppOptions): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.of(options), gatewayAdapter(options), {
    logger: false,
    bodyParser: false,
    abortOnError: false,
  });
  app.useGlobalFilters(new ErrorFilter(options.log));
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  return app;
}
