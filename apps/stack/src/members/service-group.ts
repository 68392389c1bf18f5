import type { ServiceName } from '@vuka/contracts';
import type { Member } from '@vuka/local-servers';

import { ChildProcessMember, type MemberGround, type ProcessPlan } from './child-process-member.js';
import { Front } from './front.js';

/** An instance as its group sees it. */
export interface Instance {
  readonly member: Member;
  readonly internalPort: number;
  /** The gateway's: where its API is. */
  readonly apiPort?: number;
}

export interface GroupGround extends MemberGround {
  /** Others find the service there, however many instances it has. */
  readonly addressPort: number;
  /** What the instance at `index` is started with; `internalPort` null: one of its own. */
  readonly plan: (
    index: number,
    internalPort: number | null,
  ) => Promise<{ plan: ProcessPlan; internalPort: number; apiPort?: number }>;
  /** Partners come to each gateway by itself; between services there is one address. */
  readonly hasFront: boolean;
}

/** The instances of one service, and what stands in front of them where they are several. */
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

  /** More or fewer; calls that are under way end where they are. */
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

  /** The first instance has the service's address; it hands it over and comes back on a port of its own, while the others work. */
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
