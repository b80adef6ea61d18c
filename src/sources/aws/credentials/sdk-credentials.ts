import { HelperError } from '../../../runtime/failure.ts'
import {
  type AwsContext,
  type AwsCredentialSource,
  type AwsCredentials,
  type SourceOf,
  selectFirst,
  toLoginSite,
  toSsoSite,
} from './credential-source.ts'

/**
 * Lets the AWS SDK find the credentials. A sign-in is renewed here first: the SDK writes its file in place and without a lock, and two
 * processes that renew at once would sign the person out.
 * @throws {HelperError} the error of our own chain, if the SDK does not know the setting either.
 */
export async function fetchBySdk(
  source: SourceOf<'sdk'> & { readonly isPersonal: boolean },
  context: AwsContext,
): Promise<AwsCredentials> {
  const { host, call, plan, path } = context
  await renewSignIn(selectFirst(source), context)
  const { fetchSdkCredentials } = await import('../sdk-chain/fetch-sdk-credentials.ts')
  const { mayBeInstance } = await import('./environment-sources.ts')
  const { profile, isPersonal } = source
  const { region, files } = plan
  const request = {
    profile,
    region,
    files,
    path,
    renewalHint: plan.describeRenewal(),
    isPersonal,
    mayBeInstance: profile !== undefined || (await mayBeInstance(host.env, host.platform)),
  }
  try {
    return await fetchSdkCredentials(request, { host, call })
  } catch (error) {
    const isUnknownToAll = error instanceof HelperError && error.kind === 'not-configured'
    throw isUnknownToAll && plan.ownFailure ? plan.ownFailure : error
  }
}

async function renewSignIn(first: AwsCredentialSource, { host, call, plan }: AwsContext): Promise<void> {
  if (first.kind === 'login') {
    const { fetchLoginCredentials } = await import('../login/fetch-login-credentials.ts')
    await fetchLoginCredentials({ site: toLoginSite(first, plan), host, call })
  }
  if (first.kind !== 'sso') return
  const [{ requireSsoToken }, { prepareSsoParts }] = await Promise.all([
    import('../sso/access-token.ts'),
    import('../sso/sso-credentials.ts'),
  ])
  await requireSsoToken(first, await prepareSsoParts({ site: toSsoSite(first, plan), host, call }))
}
