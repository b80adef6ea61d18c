// Asks a configuration server with the client's sign-in, and again after a refusal; `ask-server.ts` sends the request.

import type { Served } from '../../config/parse-value.ts'
import { findBearerToken, type Headers } from '../../contract/headers.ts'
import { Secret } from '../../runtime/secret.ts'
import type { AskCause } from '../client-event.ts'
import { askServer, type ServerAnswer, type ServerRequest } from './ask-server.ts'
import { createServerCredential, type ObtainedHeaders, type ServerSignInSetup } from './server-sign-in.ts'
import type { ServerSignIn } from './trust-anchor.ts'

/** A configuration server from the view of one client. */
export interface ServedSource {
  /** Sends one request, after the sign-in that it needs. */
  ask(cause: AskCause): Promise<Asked>
  /** Called when the client starts with an empty memory, so that its next request has no entity tag. */
  forget(): void
}

/** The configuration server of a client. */
export interface DocumentServer extends ServedSource {
  /** `trustBootstrapDelivery`: whether its documents need no consent. */
  readonly isDeliveryTrusted?: boolean
}

/** An answer, and the origin of the credential in the request. */
export interface Asked {
  readonly answer: ServerAnswer
  /** Absent if there was no credential to send. */
  readonly obtained?: ObtainedHeaders['obtained']
  /** The names of the headers for the sign-in. */
  readonly headerNames: readonly string[]
  /** The token in them, if it was sent as a bearer token. */
  readonly bearer?: Secret
}

/** The address of the document, and the client's sign-in there. */
export interface ServedSettings extends ServerSignInSetup {
  readonly url: string
  readonly signIn: ServerSignIn
  /** The default follows from the sign-in. */
  readonly authentication?: Served['authentication']
  readonly fetch: ServerRequest['fetch']
}

/** Returns whether a document may name a gateway of another origin: with an identity provider, a person sends no secret of the server. */
export function toAuthentication({ kind }: ServerSignIn): Served['authentication'] {
  return kind === 'oidc' ? 'external-idp' : 'none'
}

/**
 * Creates the source for one client of a configuration server. The entity tag of the last answer is only in memory. A sign-in that is
 * refused at a launch is repeated once; a second refusal is final.
 */
export function createServedSource(settings: ServedSettings): ServedSource {
  const { url, signIn, fetch, authentication = toAuthentication(signIn) } = settings
  const credential = createServerCredential(signIn, settings)
  let etag: string | undefined
  const askOnce = async (cause: AskCause): Promise<Asked> => {
    const found = await credential.obtain(cause)
    if ('outcome' in found) return { answer: found, headerNames: [] }
    const { headers, obtained } = found
    const answer = await askServer({ url, headers, authentication, etag, fetch })
    if (answer.outcome === 'document') etag = answer.etag
    if (answer.outcome === 'refused') credential.drop()
    return { answer, obtained, headerNames: Object.keys(headers), ...parseBearer(headers) }
  }
  return {
    forget: () => {
      etag = undefined
    },
    ask: async (cause) => {
      const first = await askOnce(cause)
      const isAskedAgain = cause === 'launch' && first.answer.outcome === 'refused' && signIn.kind !== 'none'
      return isAskedAgain && first.obtained !== 'person' ? askOnce(cause) : first
    },
  }
}

function parseBearer(headers: Headers): { readonly bearer?: Secret } {
  const value = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization')?.[1]
  const token = findBearerToken(value)
  return token === undefined ? {} : { bearer: new Secret(token) }
}
