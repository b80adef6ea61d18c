// Runs the helper of a document as the desktop client does, and declares the result of a run.

import type { HelperScriptCredential } from '../../config/document.ts'
import type { ClientContext } from '../../contract/context.ts'
import { toContextVariables } from '../../contract/detect-context.ts'
import { toAwsVariables } from '../../contract/environment.ts'
import { computeHelperTimeoutSec } from '../../contract/freshness.ts'
import type { Headers } from '../../contract/headers.ts'
import { limits } from '../../contract/limits.ts'
import { type OutputReason, type OutputWarning, parseOutput } from '../../contract/output.ts'
import type { RefreshCause } from '../../contract/refresh.ts'
import type { Environment } from '../../runtime/run-process.ts'
import { Secret } from '../../runtime/secret.ts'
import { redact } from '../../runtime/text/redact.ts'
import { type Launched, launch, type Survivors } from './launch.ts'
import { planLaunch } from './launch-command.ts'

/** The credential that a client sends with a request. */
export interface HeldCredential {
  readonly token: Secret
  readonly headers: Headers
}

/** Why a run gave no credential: by the end of the process, or by its output. */
export type RunReason = 'not-startable' | 'not-started' | 'timeout' | 'exit-status' | 'signal' | OutputReason

/** One run of a helper as the client sees it. */
export type HelperRun = {
  readonly durationMs: number
  readonly survivors: Survivors
  /** The end of stderr, which a client logs, with token and header values replaced. */
  readonly stderr: string
} & (
  | {
      readonly ok: true
      readonly credential: HeldCredential
      readonly shape: 'bare token' | 'JSON object' | 'of another client'
      /** The remaining life of the credential, if the output states it and its client reads it. */
      readonly lifeSec?: number | undefined
      readonly warnings: readonly OutputWarning[]
    }
  | { readonly ok: false; readonly reason: RunReason; readonly message: string; readonly status?: number }
)

/** The setup in which the client runs helpers. */
export interface RunSetup {
  /** The client's own environment. */
  readonly env: Environment
  readonly platform: NodeJS.Platform
  /** The cause of the refresh, for a client that does not tell helpers about it. */
  readonly refreshCause?: RefreshCause | undefined
  /** Ends a run before its timeout. */
  readonly signal?: AbortSignal | undefined
}

/** Runs a helper as a client does. */
export type RunHelper = (
  credential: HelperScriptCredential,
  context: ClientContext,
  setup: RunSetup,
) => Promise<HelperRun>

/** Runs the helper that a document names once, as the client does. */
export const runCredentialHelper: RunHelper = async (credential, context, { env, platform, signal }) => {
  const resolved = planLaunch(credential, platform)
  if ('problem' in resolved)
    return {
      ok: false,
      reason: 'not-startable',
      message: resolved.problem,
      durationMs: 0,
      survivors: 'none',
      stderr: '',
    }
  const helperEnv = {
    ...env,
    ...toAwsVariables(credential.awsEnv, platform),
    ...toContextVariables(context),
  }
  const timeoutSec = computeHelperTimeoutSec(credential, context)
  const launched = await launch(resolved.command, helperEnv, timeoutSec * 1000, { signal })
  const { durationMs, survivors } = launched
  return { durationMs, survivors, ...toResult(launched, timeoutSec) }
}

/** Describes why a process gave no output to parse; `undefined` if it ended well. */
export function describeEnd(
  { ended }: Launched,
  timeoutSec: number,
): { readonly reason: RunReason; readonly message: string; readonly status?: number } | undefined {
  switch (ended.how) {
    case 'timeout':
      return { reason: 'timeout', message: timeoutMessages[ended.process](timeoutSec) }
    case 'not-started':
      return { reason: 'not-started', message: `the helper cannot be started (${ended.code})` }
    case 'signal':
      return { reason: 'signal', message: `the helper was ended by ${ended.signal}` }
    case 'exited':
      return ended.status === 0 ? undefined : toStatusFailure(ended.status)
    case 'flooded':
      return undefined // the parser reports the excess
  }
}

function toResult(launched: Launched, timeoutSec: number) {
  const { stdout, stderr } = launched
  const fail = (failure: NonNullable<ReturnType<typeof describeEnd>>) =>
    ({ ok: false, ...failure, stderr: redact(stderr, listLongWords(stdout, limits.tokenBytes)) }) as const
  const failure = describeEnd(launched, timeoutSec)
  if (failure) return fail(failure)
  const parsed = parseOutput(stdout)
  if (!parsed.ok) return fail({ reason: parsed.reason, message: parsed.message })
  const { token, headers } = parsed.output
  return {
    ok: true,
    credential: { token: new Secret(token), headers },
    shape: isJsonOutput(stdout) ? 'JSON object' : 'bare token',
    warnings: parsed.warnings,
    stderr: redact(stderr, [token, ...Object.values(headers)]),
  } as const
}

/** Describes a run that ended with another status than 0. */
export function toStatusFailure(status: number) {
  return { reason: 'exit-status', status, message: `the helper failed with exit status ${status}` } as const
}

/** The messages for a run that had not ended after its timeout, or left a process behind that had not. */
export const timeoutMessages = {
  killed: (seconds: number) => `the helper did not end within ${seconds} s and was killed`,
  exited: (seconds: number) =>
    `the helper ended, but a process that it left behind kept its output open for ${seconds} s`,
} as const

/** Returns whether the parser treats the output as an object, because a line begins with a brace. */
function isJsonOutput(stdout: Uint8Array): boolean {
  return /^\s*\{/m.test(new TextDecoder().decode(stdout))
}

/** Lists the long words of an output, up to a length. Each may be a token, so stderr is shown without them. */
export function listLongWords(stdout: Uint8Array, longest: number): string[] {
  return new TextDecoder().decode(stdout.subarray(0, longest)).match(/[^\s"',:{}[\]]{12,}/g) ?? []
}
