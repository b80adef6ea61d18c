import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { AuthScheme } from '../../config/document.ts'
import { mergeHeaders } from '../../contract/headers.ts'
import { vendor } from '../../vendor.ts'
import type { HeldCredential } from '../launch/run-credential-helper.ts'
import type { Turn } from './turn.ts'

/** The API version that clients send. Specification. */
const apiVersion = '2023-06-01'

/** What goes with every turn: the document's headers, over them the helper's, over them the client's own. */
export function turnHeaders({ inference, credential, authScheme }: Turn): Record<string, string> {
  return mergeHeaders(mergeHeaders(inference.customHeaders ?? {}, credential.headers), {
    ...authorize(credential, authScheme),
    [vendor.versionHeader]: apiVersion,
    'content-type': 'application/json',
  })
}

function authorize({ token }: HeldCredential, scheme: AuthScheme): Record<string, string> {
  return scheme === 'bearer' ? { authorization: `Bearer ${token.reveal()}` } : { 'x-api-key': token.reveal() }
}

/** A client takes any one line for a token, so it may hold letters that HTTP has no bytes for. */
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
