import type { ServiceName } from '@vuka/contracts';
import type { Member } from '@vuka/local-servers';

import { ChildProcessMember, type MemberGround, type ProcessPlan } from './child-process-member.js';
import { Front } from './front.js';

export interface Instance {
  readonly member: Member;
  readonly internalPort: number;
  readonly apiPort?: number;
}

export interface GroupGround extends MemberGround {
  readonly addressPort: number;
  /** `internalPort` null: the instance picks its own. */
  readonly plan: (
    index: number,
    internalPort: number | null,
  ) => Promise<{ plan: ProcessPlan; internalPort: number; apiPort?: number }>;
  /** Gateways have one address each; services share one. */
  readonly hasFront: boolean;
}

export class ServiceGroup {
  readonly instances: Instance[] = [];
  private front: Front | undefined;

  constructor(
    readonly service: ServiceName,
    private readonly ground: GroupGround,
  ) {}

  async start(count: number): Promise<void> {
    if (count > 1) await this.openFront();
    const first = await this.make(0, this.front === undefined ? this.ground.addressPort : null);
    this.instances.push(first);
    for (let index = 1; index < count; index += 1) this.instances.push(await this.make(index, null));
    await Promise.all(this.instances.map(({ member }) => member.start()));
  }

  async scale(count: number): Promise<void> {
    const more: Instance[] = [];
    for (let index = this.instances.length; index < count; index += 1) more.push(await this.make(index, null));
    this.instances.push(...more);
    await Promise.all(more.map(({ member }) => member.start()));
    if (count > 1 && this.front === undefined) await this.moveFirstBehindFront();
    const fewer = this.instances.splice(count);
    await Promise.all(fewer.map(({ member }) => member.stop()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.instances.map(({ member }) => member.stop()));
    await this.front?.stop();
  }

  /** The first instance gives its address to the front and restarts on a new port, while the others work. */
  private async moveFirstBehindFront(): Promise<void> {
    const [first] = this.instances;
    if (!this.ground.hasFront || first === undefined) return;
    const opening = this.openFront();
    await Promise.all([first.member.stop(), opening]);
    const moved = await this.make(0, null);
    this.instances[0] = moved;
    await moved.member.start();
  }

  private async openFront(): Promise<void> {
    if (!this.ground.hasFront) return;
    const { addressPort } = this.ground;
    this.front = new Front(addressPort, () =>
      this.instances
        .filter(({ member, internalPort }) => member.pids().length > 0 && internalPort !== addressPort)
        .map(({ internalPort }) => internalPort),
    );
    await this.front.start();
  }

  private async make(index: number, port: number | null): Promise<Instance> {
    const { plan, internalPort, apiPort } = await this.ground.plan(index, port);
    return {
      member: new ChildProcessMember(plan, this.ground),
      internalPort,
      ...(apiPort !== undefined && { apiPort }),
    };
  }
}
