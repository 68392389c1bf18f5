import 'reflect-metadata';

import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

import { AppModule, type UseCaseOptions } from './app.module.js';
import { ErrorFilter } from './http/index.js';
import { gatewayAdapter, type GatewayAdapterOptions } from './edge/index.js';

export type GatewayAppOptions = UseCaseOptions & GatewayAdapterOptions;

/** The HTTP application, ready to listen; its database and its services come from outside. */
export async function createGatewayApp(options: GatewayAppOptions): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.of(options, options.sandbox),
    gatewayAdapter(options),
    {
      logger: false,
      bodyParser: false,
      abortOnError: false,
    },
  );
  app.useGlobalFilters(new ErrorFilter(options.log));
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  return app;
}
