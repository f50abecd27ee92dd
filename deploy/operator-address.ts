import type { Deploy } from './context';

/** The address of the operator: that of the option or the environment, or typed. It is asked for once in a deploy. */
export async function operatorAddress(deploy: Deploy): Promise<string | undefined> {
  const { options, around } = deploy;
  deploy.operator ??=
    options.operator ??
    around.env['OPERATOR_EMAIL'] ??
    (deploy.isDryRun ? '' : await around.ask?.('Your address, for alerts and a test mail (empty: no test): ')) ??
    '';
  return deploy.operator || undefined;
}
