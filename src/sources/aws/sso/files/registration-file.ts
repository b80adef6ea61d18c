import { parseObject } from '../../../../runtime/parse-object.ts'
import { Secret } from '../../../../runtime/secret.ts'
import { renderPythonJson } from '../../shared-file/python-json.ts'
import { parseSsoTime, renderSsoTime } from './sso-time.ts'
import type { SsoClient } from './token-file.ts'

/** A way of signing in, for which a client is registered. */
export type SsoGrant = 'authorization_code' | 'device_code'

/** A registered client as its file holds it. */
export interface SsoRegistration {
  readonly client: SsoClient & { readonly expiresAt: number }
  readonly scopes?: readonly string[] | undefined
  /** Absent for device authorization, for which the AWS CLI names none. */
  readonly grantTypes?: readonly string[] | undefined
}

/** Reads the file of a registration; `undefined` for anything that is none, which a new registration replaces. */
export function parseRegistration(text: string): SsoRegistration | undefined {
  const { clientId, clientSecret, expiresAt: end, scopes, grantTypes } = parseObject(text) ?? {}
  const expiresAt = parseSsoTime(end)
  if (typeof clientId !== 'string' || typeof clientSecret !== 'string' || expiresAt === undefined) return undefined
  const client = { id: clientId, secret: new Secret(clientSecret), expiresAt }
  return { client, scopes: parseList(scopes), grantTypes: parseList(grantTypes) }
}

function parseList(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined
}

/** The file of a registration, to the byte as the AWS CLI writes it. */
export function renderRegistration({ client, scopes, grantTypes }: SsoRegistration): string {
  return renderPythonJson({
    clientId: client.id,
    clientSecret: client.secret.reveal(),
    expiresAt: renderSsoTime(client.expiresAt),
    scopes,
    grantTypes,
  })
}

/** Whether a sign-in of that kind may begin with a registration: one that is about to end would end during it. */
export function isUsable({ client, grantTypes }: SsoRegistration, grant: SsoGrant, now: number): boolean {
  const isForCode = grantTypes?.includes('authorization_code') ?? false
  return client.expiresAt - now >= renewalWindowMs && isForCode === (grant === 'authorization_code')
}

/** With less life left, a registration or a sign-in is renewed, in milliseconds. The AWS CLI's own limit. */
export const renewalWindowMs = 15 * 60_000
