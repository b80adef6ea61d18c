import { randomUUID } from 'node:crypto'
import type { OpenSignIn } from '../../client/credentials/client-sign-in.ts'
import { type RunHelper, runCredentialHelper } from '../../client/launch/run-credential-helper.ts'
import { createClientRuns } from '../../client/launch/run-for-client.ts'
import type { SimulatedKind } from '../../client/simulation/scenario.ts'
import type { ConfigDocument, HelperScriptCredential } from '../../config/document.ts'
import type { HelperClient } from '../../contract/client.ts'
import { limits } from '../../contract/limits.ts'
import { Secret } from '../../runtime/secret.ts'

const simulatedCommand = '/simulated/helper'

/** A name that no provider can have (RFC 2606, section 2). */
const simulatedIssuer = 'https://simulated.invalid'

/** The documents of simulations that are given none. Their helper or person answers at once, and nothing is run or sent. */
export const builtInDocuments: Readonly<Record<SimulatedKind, ConfigDocument>> = {
  'helper-script': toDocument({ kind: 'helper-script', command: simulatedCommand }),
  'external-idp': toDocument({ kind: 'external-idp', oidc: { clientId: 'simulated', issuer: simulatedIssuer } }),
}

function toDocument(credential: NonNullable<ConfigDocument['inference']>['credential'] & object): ConfigDocument {
  return { inference: { provider: 'gateway', baseUrl: 'https://gateway.example.com', credential } }
}

/** The simulated helper in place of a document, or one that a command line names, for a client that has no document. */
export function createClientDocument(
  client: HelperClient,
  command: string | undefined,
  args: readonly string[] = [],
): ConfigDocument {
  // A client that waits without end gets the longest timeout that a document can have.
  const { timeoutSec = limits.timeoutSec } = client.waiting
  const started = { command: command ?? simulatedCommand, ...(args.length > 0 && { args }) }
  return toDocument({ kind: 'helper-script', ...started, timeoutSec })
}

/** How another client runs a helper, or the simulated one, whose credential says when it ends. */
export function createSimulatedRuns(client: HelperClient, server: string) {
  const { runHelper, eraseCredential } = createClientRuns(client, server)
  const isSimulated = ({ command }: HelperScriptCredential) => command === simulatedCommand
  const run: RunHelper = async (helper, context, setup) => {
    if (!isSimulated(helper)) return runHelper(helper, context, setup)
    return { ...(await runOrSimulate(helper, context, setup)), lifeSec: simulatedLifeSec }
  }
  const erase: typeof eraseCredential = async (helper, ...more) =>
    isSimulated(helper) ? undefined : eraseCredential(helper, ...more)
  return { runHelper: run, eraseCredential: erase }
}

/** Whether a document is one of {@link builtInDocuments}, for which nobody has to agree to anything. */
export function isBuiltIn(document: ConfigDocument): boolean {
  const { credential } = document.inference ?? {}
  const isSimulated = credential?.kind === 'helper-script' && credential.command === simulatedCommand
  return isSimulated || Object.values(builtInDocuments).includes(document)
}

/** Runs the helper, or simulates that of a built-in document. */
export const runOrSimulate: RunHelper = async (credential, context, setup) => {
  if (credential.command !== simulatedCommand) return runCredentialHelper(credential, context, setup)
  const output = { credential: { token: createToken(), headers: {} }, shape: 'bare token', warnings: [] } as const
  return { ok: true, ...output, stderr: '', durationMs: 0, survivors: 'none' }
}

/** Signs a real person in with `openSignIn`, or simulates the person of a built-in document. */
export function selectOpenSignIn(openSignIn: OpenSignIn): OpenSignIn {
  const succeed = async () =>
    ({ ok: true, token: createToken(), lifeSec: simulatedLifeSec, isRenewable: true, durationMs: 0 }) as const
  return (settings) =>
    settings.issuer === simulatedIssuer ? { signIn: succeed, renew: succeed } : openSignIn(settings)
}

const simulatedLifeSec = 3600

function createToken(): Secret {
  const claims = Buffer.from(JSON.stringify({ exp: Date.now() / 1000 + simulatedLifeSec, jti: randomUUID() }))
  return new Secret(`eyJhbGciOiJub25lIn0.${claims.toString('base64url')}.`)
}
