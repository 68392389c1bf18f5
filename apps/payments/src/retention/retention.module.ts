import { Module } from '@nestjs/common';

import { EraseRecipients } from './erase-recipients.job.js';

@Module({ providers: [EraseRecipients] })
export class RetentionModule {}
