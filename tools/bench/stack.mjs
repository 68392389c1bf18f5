import { startStack as startTestStack } from '../../libs/testing/dist/index.js';
import { UNREACHED_LIMITS } from '../generate/unreached-limits.mjs';
import { processorSeconds } from './machine.mjs';

/** Like startVuka(), for the distributed profile: durable commits, no test event bus. */
export async function startStack() {
  const stack = await startTestStack({ env: { ...UNREACHED_LIMITS, VUKA_TEST_WIRE_SEED: '' } });
  const { members } = await stack.isWhole();
  const pidsOf = (wanted) => members.filter((member) => member.pid !== null && wanted(member)).map(({ pid }) => pid);
  const services = pidsOf(({ kind }) => kind === 'service' || kind === 'provider');
  const servers = { kafka: pidsOf(({ name }) => name === 'kafka'), redis: pidsOf(({ name }) => name === 'redis') };
  const postgres = stack.postgresPid();
  const sum = (pids) => pids.reduce((total, pid) => total + processorSeconds(pid), 0);
  return {
    baseUrl: stack.baseUrl,
    partners: stack.partners,
    folder: stack.dataDir,
    processor: () => ({
      node: sum(services),
      postgres: processorSeconds(postgres, { withChildren: true }),
      kafka: sum(servers.kafka),
      redis: sum(servers.redis),
    }),
    processes: () => ({
      ...Object.fromEntries(
        members
          .filter(({ pid }) => pid !== null && pid !== postgres)
          .map(({ name, pid }) => [name, processorSeconds(pid)]),
      ),
      postgres: processorSeconds(postgres, { withChildren: true }),
    }),
    stop: () => stack.dispose(),
  };
}
