import { useState } from 'preact/hooks';
import { leave, leaveEverywhere } from '../../account/leave';
import { isFailure, service, type Answer } from '../../service';
import { confirm } from '../../ui/confirm';
import { FailureNotice } from '../../ui/failure-notice';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { toast } from '../../ui/toast';
import { useAction } from '../../use-action';
import { useLoaded } from '../../use-loaded';
import { words } from '../../words/en';

type Device = Answer<'listDashboardSessions'>['sessions'][number];

/** The devices on which the person is signed in: sign out of one, or of all. */
export function Devices() {
  const { devices } = words;
  const [limit, setLimit] = useState(10);
  const list = useLoaded(
    (signal) => service().get('listDashboardSessions', { limit: String(limit) }, { signal }),
    [limit],
  );
  const ending = useAction(async ({ sessionId, device, isCurrent }: Device) => {
    if (isCurrent) return leave();
    await service()
      .post('endDashboardSession', { sessionId })
      // The session has ended already, as after a call whose answer was lost.
      .catch((error: unknown) => {
        if (!isFailure(error, 'not-found')) throw error;
      });
    toast(devices.wasSignedOut(device));
    await list.reload();
  });
  const endingAll = useAction(async () => {
    const { everywhereTitle: title, everywhereText: text, everywhere: action } = devices;
    if (await confirm({ title, text, action })) await leaveEverywhere();
  });
  const { sessions = [], nextCursor = null } = list.data ?? {};
  return (
    <section class="card" aria-labelledby="devices" aria-busy={!list.data && list.failure === undefined}>
      <div>
        <h2 id="devices">{devices.title}</h2>
        <p class="quiet">{devices.about}</p>
      </div>
      <FailureNotice failure={list.failure} onRetry={() => void list.reload()} />
      <FailureNotice failure={ending.failure ?? endingAll.failure} />
      {sessions.length > 0 && (
        <Table
          caption={devices.title}
          rows={sessions}
          keyOf={({ sessionId }) => sessionId}
          columns={[
            { title: devices.device, isName: true, cell: (row) => <Name {...row} /> },
            { title: devices.place, cell: ({ place }) => place ?? <span class="quiet">{devices.unknownPlace}</span> },
            { title: devices.lastUsed, cell: ({ lastUsedAt }) => <Time iso={lastUsedAt} /> },
            { title: devices.signedIn, cell: ({ createdAt }) => <Time iso={createdAt} /> },
            {
              title: devices.actions,
              isQuiet: true,
              cell: (row) => (
                <div class="actions">
                  <button
                    type="button"
                    class="button small"
                    aria-label={devices.signOutOf(row.device)}
                    aria-disabled={ending.isBusy}
                    onClick={() => void ending.run(row)}
                  >
                    {devices.signOut}
                  </button>
                </div>
              ),
            },
          ]}
        />
      )}
      <div class="actions">
        {nextCursor !== null && limit < 100 && (
          <button type="button" class="button" onClick={() => setLimit(100)}>
            {devices.more}
          </button>
        )}
        <button type="button" class="button danger" onClick={() => void endingAll.run()}>
          {devices.everywhere}
        </button>
      </div>
    </section>
  );
}

function Name({ device, isCurrent }: Device) {
  return (
    <>
      {device}
      {isCurrent && <span class="quiet small"> · {words.devices.current}</span>}
    </>
  );
}
