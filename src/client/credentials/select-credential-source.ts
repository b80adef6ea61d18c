import type { Credential, StaticCredential } from '../../config/document.ts'
import { Secret } from '../../runtime/secret.ts'
import type { HeldCredential } from '../launch/run-credential-helper.ts'
import type { CredentialSource, SessionCredential, SourceSetup } from './credential-source.ts'
import { HelperSource } from './helper-source.ts'

/** The one source that a document names: with several or none there is no fallback. */
export function selectCredentialSource(
  credential: Credential | undefined,
  surroundings: SourceSetup,
): CredentialSource {
  switch (credential?.kind) {
    case 'helper-script':
      return new HelperSource(credential, surroundings)
    case 'static':
      return constantSource(heldStatic(credential), {
        failure: 'no-credential',
        message: 'the document has no key (apiKey)',
      })
    case 'interactive':
    case 'external-idp':
      return constantSource(undefined, {
        failure: 'unsupported-kind',
        message: `sign-in by the client (${credential.kind}) is not there yet`,
      })
    case undefined:
      return constantSource(undefined, { failure: 'no-credential', message: 'the document names no credential' })
  }
}

/** Always the same credential, or none: nobody signs in for it, and nothing renews it. */
function constantSource(held: HeldCredential | undefined, missing: CredentialSource['missing']): CredentialSource {
  const user: SessionCredential = { beforeTurn: async () => held, afterRefusal: async () => undefined }
  return {
    missing,
    startSession: async () => ({ user, isSignIn: false }),
    joinSession: async () => user,
    adapt: () => false,
    forget: () => {},
  }
}

function heldStatic({ apiKey }: StaticCredential): HeldCredential | undefined {
  return apiKey === undefined ? undefined : { token: new Secret(apiKey), headers: {} }
}
