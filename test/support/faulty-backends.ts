import { status } from '@grpc/grpc-js';
import { startHttpFaults, startTcpFaults, type Fault, type FaultProxy } from './faults';
import { startLossyFirestore, type LossyFirestore } from './lossy-firestore';
import type { World } from './world';

export type Backend = 'Firestore' | 'Storage' | 'Auth' | 'Resend' | 'Tasks';
export type FaultyBackends = { grpc: LossyFirestore; proxies: Record<Backend, FaultProxy>; close(): Promise<void> };

/**
 * Puts proxies that play faults between the functions and the backends of a world. The pauses of repeated calls are
 * short.
 */
export async function startFaultyBackends({ cloud }: World): Promise<FaultyBackends> {
  const grpc = await startLossyFirestore(cloud.firestoreHost);
  const proxies = {
    Firestore: withStatuses(grpc, await startTcpFaults(grpc.host)),
    Storage: await startHttpFaults(cloud.storage.url),
    Auth: await startHttpFaults(`http://${cloud.authHost}`),
    Resend: await startHttpFaults(cloud.mailUrl),
    Tasks: await startHttpFaults(`http://${cloud.environment['CLOUD_TASKS_EMULATOR_HOST']!}`),
  };
  Object.assign(process.env, {
    RETRY_PAUSE_MS: '5',
    MAIL_RETRY_PAUSE_MS: '5',
    FIRESTORE_EMULATOR_HOST: proxies.Firestore.host,
    STORAGE_EMULATOR_HOST: `http://${proxies.Storage.host}`,
    FIREBASE_STORAGE_EMULATOR_HOST: proxies.Storage.host,
    FIREBASE_AUTH_EMULATOR_HOST: proxies.Auth.host,
    RESEND_BASE_URL: `http://${proxies.Resend.host}`,
    CLOUD_TASKS_EMULATOR_HOST: proxies.Tasks.host,
  });
  const close = async () => {
    for (const proxy of Object.values(proxies)) await proxy.close();
    await grpc.close();
  };
  return { grpc, proxies, close };
}

/** Adds the statuses of gRPC to the faults of the connection. */
function withStatuses(grpc: LossyFirestore, tcp: FaultProxy): FaultProxy {
  const { RESOURCE_EXHAUSTED: busy, UNAVAILABLE: unavailable } = status;
  const codes: Partial<Record<Fault | 'pass', status>> = { busy, unavailable };
  return {
    ...tcp,
    playNext: async (fault) => (codes[fault] ? grpc.refuse(codes[fault], undefined, 1) : tcp.playNext(fault)),
    playAlways: async (fault) => (codes[fault] ? grpc.refuse(codes[fault]) : tcp.playAlways(fault)),
    heal: (isSilent) => {
      grpc.refuse(undefined);
      return tcp.heal(isSilent);
    },
  };
}
