import { Injectable } from '@nestjs/common';
import { WakeSignal } from '@vuka/runtime';

@Injectable()
export class DueClaims extends WakeSignal {}
