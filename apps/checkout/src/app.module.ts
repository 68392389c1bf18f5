import { Module } from '@nestjs/common';

/** What checkout is made of: orders are not taken yet. */
@Module({})
export class AppModule {}
