import type { Served } from '../../config/parse-value.ts'
import type { Headers } from '../../contract/headers.ts'
import { Secret } from '../../runtime/secret.ts'
import type { AskCause } from '../client-event.ts'
import { askServer, type ServerAnswer, type ServerRequest } from './ask-server.ts'
import { createServerCredential, type FoundHeaders, type ServerSignInSetup } from './server-sign-in.ts'
import type { ServerSignIn } from './trust-anchor.ts'

/** A configuration server, asked as one client asks it. */
export interface ServedSource {
  /** One question, with whatever it needs of a sign-in. */
  ask(cause: AskCause): Promise<Asked>
  /** The client starts with an empty memory, so that its next request has no entity tag. */
  forget(): void
}

/** The configuration server of a client. */
export interface DocumentServer extends ServedSource {
  /** `trustBootstrapDelivery`: nobody has to agree to what it serves. */
  readonly isDeliveryTrusted?: boolean
}

/** An answer, and how the client came by the credential that it sent. */
export interface Asked {
  readonly answer: ServerAnswer
  /** Absent if there was no credential to send. */
  readonly obtained?: FoundHeaders['obtained']
  /** The names of the headers that were sent for the sign-in. */
  readonly headerNames: readonly string[]
  /** The token among them, if it was sent as a bearer. */
  readonly bearer?: Secret
}

/** The address of the document, and how the client signs in there. */
export interface ServedSettings extends ServerSignInSetup {
  readonly url: string
  readonly signIn: ServerSignIn
  /** The default is what the sign-in implies. */
  readonly authentication?: Served['authentication']
  readonly fetch: ServerRequest['fetch']
}

/** Whether a document may name a gateway of another origin: a person who signs in with an identity provider sends no secret of the server's. */
export function toAuthentication({ kind }: ServerSignIn): Served['authentication'] {
  return kind === 'oidc' ? 'external-idp' : 'none'
}

/**
 * Makes one client of a configuration server. The entity tag of the last answer is kept only in memory. A sign-in that is refused at a launch is made once
 * more, and then the refusal counts.
 */
export function createServedSource(settings: ServedSettings): ServedSource {
  const { url, signIn, fetch, authentication = toAuthentication(signIn) } = settings
  const credential = createServerCredential(signIn, settings)
  let etag: string | undefined
  const askOnce = async (cause: AskCause): Promise<Asked> => {
    const found = await credential.find(cause)
    if ('outcome' in found) return { answer: found, headerNames: [] }
    const { headers, obtained } = found
    const answer = await askServer({ url, headers, authentication, etag, fetch })
    if (answer.outcome === 'document') etag = answer.etag
    if (answer.outcome === 'refused') credential.drop()
    return { answer, obtained, headerNames: Object.keys(headers), ...findBearer(headers) }
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

function findBearer(headers: Headers): { readonly bearer?: Secret } {
  const value = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization')?.[1]
  const token = /^Bearer (\S+)$/i.exec(value ?? '')?.[1]
  return token === undefined ? {} : { bearer: new Secret(token) }
}
