// The simulated helper and person, for days on which nothing real runs.

import { randomUUID } from 'node:crypto'
import type { OpenSignIn } from '../../client/credentials/client-sign-in.ts'
import { type RunHelper, runCredentialHelper } from '../../client/launch/run-credential-helper.ts'
import { createClientRuns } from '../../client/launch/run-for-client.ts'
import type { SimulatedKind } from '../../client/simulation/scenario.ts'
import type { ConfigDocument, Credential, HelperScriptCredential } from '../../config/document.ts'
import type { HelperClient } from '../../contract/client.ts'
import { limits } from '../../contract/limits.ts'
import { Secret } from '../../runtime/secret.ts'
import { computeScope } from '../../sources/oauth/oidc/oidc-settings.ts'
import { exampleGateway } from '../helper-choices.ts'

const simulatedCommand = '/simulated/helper'

/** A name that no provider can have (RFC 2606, section 2). */
const simulatedIssuer = 'https://simulated.invalid'

/** The documents of simulations without a given one. Their helper or person answers at once, and nothing runs or is sent. */
export const builtInDocuments: Readonly<Record<SimulatedKind, ConfigDocument>> = {
  'helper-script': toDocument({ kind: 'helper-script', command: simulatedCommand }),
  'external-idp': toDocument({ kind: 'external-idp', oidc: { clientId: 'simulated', issuer: simulatedIssuer } }),
}

function toDocument(credential: Credential): ConfigDocument {
  return { inference: { provider: 'gateway', baseUrl: exampleGateway, credential } }
}

/** Creates the document of a client without documents: with the simulated helper, or the one on the command line. */
export function createClientDocument(
  client: HelperClient,
  command: string | undefined,
  args: readonly string[] = [],
): ConfigDocument {
  // A client without a timeout gets the longest timeout of a document.
  const { timeoutSec = limits.timeoutSec } = client.waiting
  const started = { command: command ?? simulatedCommand, ...(args.length > 0 && { args }) }
  return toDocument({ kind: 'helper-script', ...started, timeoutSec })
}

/**
 * Returns the document with a simulated helper or person instead of its own, so that a day with its times runs and sends nothing;
 * `undefined` without a credential.
 */
export function toSimulatedDocument({ inference, ...rest }: ConfigDocument): ConfigDocument | undefined {
  const credential = inference?.credential && toSimulatedCredential(inference.credential)
  if (!credential) return undefined
  const { customHeaders: _, ...settings } = inference
  return { ...rest, inference: { ...settings, ...toDocument(credential).inference } }
}

function toSimulatedCredential(credential: Credential): Credential {
  if (credential.kind === 'static') return { kind: 'static', apiKey: 'simulated' }
  if (credential.kind !== 'helper-script') {
    const oidc = { ...credential.oidc, clientId: 'simulated', issuer: simulatedIssuer }
    return { kind: 'external-idp', oidc }
  }
  const { command: _, commandWindows: __, args: ___, awsEnv: ____, ...times } = credential
  return { ...times, command: simulatedCommand }
}

/** Runs a helper like another client, or simulates one whose credential states its end. */
export function createSimulatedRuns(client: HelperClient, server: string) {
  const { runHelper, eraseCredential } = createClientRuns(client, server)
  const isSimulated = ({ command }: HelperScriptCredential) => command === simulatedCommand
  const run: RunHelper = async (helper, context, setup) => {
    if (!isSimulated(helper)) return runHelper(helper, context, setup)
    return { ...(await createRunOrSimulate()(helper, context, setup)), lifeSec: simulatedLifeSec }
  }
  const erase: typeof eraseCredential = async (helper, ...more) =>
    isSimulated(helper) ? undefined : eraseCredential(helper, ...more)
  return { runHelper: run, eraseCredential: erase }
}

/** Returns whether a document is one of {@link builtInDocuments}, which need no consent. */
export function isBuiltIn(document: ConfigDocument): boolean {
  const { credential } = document.inference ?? {}
  const isSimulated = credential?.kind === 'helper-script' && credential.command === simulatedCommand
  return isSimulated || Object.values(builtInDocuments).includes(document)
}

/**
 * Runs the helper, or simulates that of a built-in document.
 * @param lifeSec The life of simulated tokens.
 */
export function createRunOrSimulate(lifeSec: number = simulatedLifeSec): RunHelper {
  return async (credential, context, setup) => {
    if (credential.command !== simulatedCommand) return runCredentialHelper(credential, context, setup)
    const held = { token: createToken(lifeSec), headers: {} }
    const output = { credential: held, shape: 'bare token', warnings: [] } as const
    return { ok: true, ...output, stderr: '', durationMs: 0, survivors: 'none' }
  }
}

/** Signs a real person in with `openSignIn`, or simulates the person of a built-in document. */
export function selectOpenSignIn(openSignIn: OpenSignIn, lifeSec: number = simulatedLifeSec): OpenSignIn {
  return (settings) => {
    if (settings.issuer !== simulatedIssuer) return openSignIn(settings)
    const isRenewable = computeScope(settings).split(' ').includes('offline_access')
    const succeed = async () =>
      ({ ok: true, token: createToken(lifeSec), lifeSec, isRenewable, durationMs: 0 }) as const
    return { signIn: succeed, renew: succeed }
  }
}

/** The default life of simulated tokens. */
export const simulatedLifeSec = 3600

function createToken(lifeSec: number): Secret {
  const claims = Buffer.from(JSON.stringify({ exp: Date.now() / 1000 + lifeSec, jti: randomUUID() }))
  return new Secret(`eyJhbGciOiJub25lIn0.${claims.toString('base64url')}.`)
}
