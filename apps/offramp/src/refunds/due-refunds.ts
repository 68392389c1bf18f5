import { Injectable } from '@nestjs/common';
import { WakeSignal } from '@vuka/runtime';

@Injectable()
export class DueRefunds extends WakeSignal {}
