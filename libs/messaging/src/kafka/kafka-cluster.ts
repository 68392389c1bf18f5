import { WakeSignal } from '@vuka/runtime';
import type { Kafka } from 'kafkajs';

/** kafkajs' own waits do not always end. */
const ANSWER_WITHIN_MS = 20_000;

/** Another id is another event log, even at the same address. Throws after 20 s without an answer, or on `ended`. */
export async function clusterIdOf(kafka: Kafka, ended: AbortSignal): Promise<string> {
  const admin = kafka.admin();
  const late = new WakeSignal();
  const ask = async (): Promise<string> => {
    await admin.connect();
    // The protocol allows null.
    const { clusterId } = (await admin.describeCluster()) as { clusterId: string | null };
    if (!clusterId) throw new Error('Kafka does not tell the id of its cluster');
    return clusterId;
  };
  try {
    const answer = await Promise.race([ask(), late.wait(ANSWER_WITHIN_MS, ended).then(() => null)]);
    if (answer === null) throw new Error(`Kafka has not given the id of its cluster within ${ANSWER_WITHIN_MS} ms`);
    return answer;
  } finally {
    late.notify();
    void admin.disconnect().catch(() => undefined);
  }
}
