import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { AuthScheme } from '../../config/document.ts'
import { mergeHeaders } from '../../contract/headers.ts'
import { apiVersion } from '../../contract/http-api.ts'
import { vendor } from '../../vendor.ts'
import type { HeldCredential } from '../launch/run-credential-helper.ts'
import type { Turn } from './turn.ts'

/** The headers of a turn: the document's, replaced by the helper's, replaced by the client's own. */
export function createTurnHeaders({ inference, credential, authScheme }: Turn): Record<string, string> {
  return mergeHeaders(mergeHeaders(inference.customHeaders ?? {}, credential.headers), {
    ...createAuthHeader(credential, authScheme),
    [vendor.versionHeader]: apiVersion,
    'content-type': 'application/json',
  })
}

function createAuthHeader({ token }: HeldCredential, scheme: AuthScheme): Record<string, string> {
  return scheme === 'bearer' ? { authorization: `Bearer ${token.reveal()}` } : { 'x-api-key': token.reveal() }
}

/** Whether HTTP can carry these headers. A client takes any single line for a token, so it may hold other characters. */
export function isSendable(headers: Readonly<Record<string, string>>): boolean {
  try {
    for (const [name, value] of Object.entries(headers)) {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    }
    return true
  } catch {
    return false // it throws for nothing else
  }
}
