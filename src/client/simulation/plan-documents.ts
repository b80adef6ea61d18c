import { isDeepStrictEqual } from 'node:util'
import type { ConfigDocument, HelperScriptCredential } from '../../config/document.ts'
import type { OidcSettings } from '../../sources/oauth/oidc/oidc-settings.ts'
import { isSignIn, toSignInSettings } from '../credentials/sign-in-settings.ts'
import { changeDocument, type Scenario } from './scenario.ts'

/**
 * Applies every change in advance, so that a person can consent to every helper and sign-in beforehand; returns the problem as text if a
 * change is invalid.
 */
export function planDocuments(
  document: ConfigDocument,
  scenario: Scenario,
  startAt: number,
): PlannedDocuments | string {
  const first = changeDocument(document, scenario.document, startAt)
  if (typeof first === 'string') return first
  const documents = [first]
  for (const step of scenario.steps) {
    if (step.type !== 'document-changes') continue
    const next = changeDocument(documents.at(-1) ?? first, step.values, startAt)
    if (typeof next === 'string') return next
    documents.push(next)
  }
  return { first, helpers: listDistinctHelpers(documents), providers: listDistinctProviders(documents) }
}

/** The documents of a scenario: the first one, and every helper and provider in any of them. */
interface PlannedDocuments {
  readonly first: ConfigDocument
  readonly helpers: readonly HelperScriptCredential[]
  readonly providers: readonly OidcSettings[]
}

function listDistinctHelpers(documents: readonly ConfigDocument[]): HelperScriptCredential[] {
  const helpers = documents.flatMap(({ inference }) =>
    inference?.credential?.kind === 'helper-script' ? [inference.credential] : [],
  )
  const launched = ({ command, commandWindows, args, awsEnv }: HelperScriptCredential) => [
    command,
    commandWindows,
    args,
    awsEnv,
  ]
  return helpers.filter(
    (helper, index) => helpers.findIndex((other) => isDeepStrictEqual(launched(other), launched(helper))) === index,
  )
}

function listDistinctProviders(documents: readonly ConfigDocument[]): OidcSettings[] {
  const found = documents.flatMap(({ inference }) => {
    const signIn = isSignIn(inference?.credential) ? toSignInSettings(inference.credential) : undefined
    return signIn && 'clientId' in signIn ? [signIn] : []
  })
  return found.filter((one, index) => found.findIndex((other) => isDeepStrictEqual(one, other)) === index)
}
