import type { MintCall, MintedToken } from '../../../helper/define-helper.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { Secret } from '../../../runtime/secret.ts'
import { resolveAwsCredentials, toAwsFacts } from '../credentials/credentials.ts'
import { fetchSecret } from './fetch-secret.ts'
import type { SecretOptions } from './options.ts'
import { parseStoredToken } from './parse-stored-token.ts'
import type { SecretPlan } from './plan.ts'
import { describeSecret } from './stored-secret.ts'

/** Reads a token that AWS keeps. Nothing but what is stored tells when it ends. */
export async function mintStoredToken(
  host: Host,
  { path, 'json-key': jsonKey }: Pick<SecretOptions, 'path' | 'json-key'>,
  call: MintCall,
  { stored, aws }: SecretPlan,
): Promise<MintedToken> {
  const context = { host, call, plan: aws, path }
  const credentials = await resolveAwsCredentials(context)
  const { text, version, clockOffsetMs } = await fetchSecret(stored, credentials, context)
  const name = describeSecret(stored)
  const { token, headers, expiresAt } = parseStoredToken(text.reveal(), { name, jsonKey })
  if (expiresAt) refuseExpired(name, expiresAt, host.clock.now() + clockOffsetMs)
  return {
    token: new Secret(token),
    // By this machine's clock, because the cache compares it with that.
    expiresAt: expiresAt && new Date(expiresAt.getTime() - clockOffsetMs),
    clockOffsetMs,
    facts: { ...toAwsFacts(credentials, aws), ...(version !== undefined && { version }) },
    headers,
  }
}

function refuseExpired(name: string, expiresAt: Date, now: number): void {
  if (expiresAt.getTime() > now) return
  throw new HelperError(
    'refused',
    `${name} says that its token expired at ${expiresAt.toISOString()}`,
    'have it rotated; a new value is taken at the next call',
  )
}
