import type { Credential, StaticCredential } from '../../config/document.ts'
import { Secret } from '../../runtime/secret.ts'
import type { HeldCredential } from '../launch/run-credential-helper.ts'
import { findSignIn, type SignInCredential } from '../sign-in/find-sign-in.ts'
import type { CredentialSource, SessionCredential, SourceSetup } from './credential-source.ts'
import { HelperSource } from './helper-source.ts'
import { OtherClientSource } from './other-client-source.ts'
import { SignInSource } from './sign-in-source.ts'

/** Creates the source that a document names. There is no fallback to another one. */
export function selectCredentialSource(credential: Credential | undefined, setup: SourceSetup): CredentialSource {
  switch (credential?.kind) {
    case 'helper-script':
      return setup.otherClient
        ? new OtherClientSource(credential, setup.otherClient, setup)
        : new HelperSource(credential, setup)
    case 'static':
      return createFixedSource(toHeldCredential(credential), {
        failure: 'no-credential',
        message: 'the document has no key (apiKey)',
      })
    case 'interactive':
    case 'external-idp':
      return createSignInSource(credential, setup)
    case undefined:
      return createFixedSource(undefined, { failure: 'no-credential', message: 'the document names no credential' })
  }
}

function createSignInSource(credential: SignInCredential, setup: SourceSetup): CredentialSource {
  const found = findSignIn(credential)
  return 'failure' in found ? createFixedSource(undefined, found) : new SignInSource(found, setup)
}

/** A source of one fixed credential, or of none; it is never renewed. */
function createFixedSource(held: HeldCredential | undefined, missing: CredentialSource['missing']): CredentialSource {
  const session: SessionCredential = { beforeTurn: async () => held, afterRefusal: async () => undefined }
  return {
    missing,
    startSession: async () => ({ session, isSignIn: false }),
    joinSession: async () => session,
    update: () => false,
    forget: () => {},
  }
}

function toHeldCredential({ apiKey }: StaticCredential): HeldCredential | undefined {
  return apiKey === undefined ? undefined : { token: new Secret(apiKey), headers: {} }
}
