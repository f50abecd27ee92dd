import { service } from '../../service';
import { CommandStrip } from '../../ui/command-strip';
import { FailureNotice } from '../../ui/failure-notice';
import { Heading } from '../../ui/heading';
import { Skeleton } from '../../ui/skeleton';
import { useLoaded } from '../../use-loaded';
import { words } from '../../words/en';
import { ChangeAddress } from './change-address';
import { DeleteAccount } from './delete-account';
import { Devices } from './devices';
import { ExportAccount } from './export-account';
import { ForgetReader } from './forget-reader';
import { OrganizationForm } from './organization-form';
import { ProfileForm } from './profile-form';
import './style.css';

/** The profile, the organization, the devices, the export, the readers who want to be forgotten, and the deletion. */
export default function Settings() {
  const account = useLoaded((signal) => service().get('getAccount', {}, { signal }));
  const { data } = account;
  // What stands below the forms appears with them, so that nothing moves.
  const isWaiting = !data && account.failure === undefined;
  return (
    <div class="settings" aria-busy={isWaiting}>
      <Heading title={words.settings.title} />
      <FailureNotice failure={account.failure} onRetry={() => void account.reload()} />
      {isWaiting && <Skeleton label={words.shell.loading} lines={6} />}
      {data && (
        <>
          <ProfileForm user={data.user} onSaved={(user) => account.set((now) => ({ ...now, user }))} />
          <ChangeAddress user={data.user} onSaved={(user) => account.set((now) => ({ ...now, user }))} />
          <OrganizationForm
            organization={data.organization}
            sender={{ name: data.user.displayName, email: data.user.email }}
            onSaved={(organization) => account.set((now) => ({ ...now, organization }))}
          />
        </>
      )}
      {!isWaiting && (
        <>
          <Devices />
          {data && <ExportAccount email={data.user.email} />}
          <ForgetReader />
          {data && <DeleteAccount email={data.user.email} organizationName={data.organization.name} />}
          <CommandStrip command="deck account" call={{ name: 'getAccount', method: 'GET' }} />
        </>
      )}
    </div>
  );
}
