import { type Headers, isHeaderName, isSendableValue, mergeHeaders } from '../../contract/headers.ts'
import { clientDefaults } from '../../contract/limits.ts'
import { parseOutput } from '../../contract/output.ts'
import { toOneLine } from '../../runtime/failure.ts'
import type { Environment } from '../../runtime/run-process.ts'
import { redact } from '../../runtime/text/redact.ts'
import { isText, parseObject } from '../../runtime/values/json-value.ts'
import type { AskCause } from '../client-event.ts'
import type { OpenSignIn } from '../credentials/client-sign-in.ts'
import { createLibrarySignIn } from '../credentials/create-open-sign-in.ts'
import { SharedSignIn } from '../credentials/shared-sign-in.ts'
import { launch, selectFirstLine } from '../launch/launch.ts'
import { planLaunch } from '../launch/launch-command.ts'
import { describeEnd } from '../launch/run-credential-helper.ts'
import type { NoDocument } from './ask-server.ts'
import type { HeadersHelper, ServerSignIn } from './trust-anchor.ts'

/** The headers of a request, and how they were obtained. */
export interface ObtainedHeaders {
  readonly headers: Headers
  readonly obtained: 'person' | 'renewal' | 'helper' | 'kept'
}

/** The parts on which the sign-in depends. */
export interface ServerSignInSetup {
  readonly env: Environment
  readonly platform: NodeJS.Platform
  /** A browser of this machine by default. */
  readonly openSignIn?: OpenSignIn
  /** The client's time in epoch milliseconds. */
  readonly now: () => number
}

/** Opens the sign-in of the device's settings. A sign-in of a person outlives a restart of the client; our decision. */
export function createServerCredential(signIn: ServerSignIn, setup: ServerSignInSetup): ServerCredential {
  switch (signIn.kind) {
    case 'oidc': {
      const openSignIn = setup.openSignIn ?? createLibrarySignIn(setup)
      return createPersonCredential(() => new SharedSignIn(openSignIn(signIn.settings), setup.now))
    }
    case 'headers':
      return createHeadersCredential(signIn, setup)
    case 'none':
      return { obtain: async () => ({ headers: {}, obtained: 'kept' }), drop: () => {} }
  }
}

/** The client's sign-in at its configuration server. */
interface ServerCredential {
  /** The headers of the next request. A person is asked only at a launch. */
  obtain(cause: AskCause): Promise<ObtainedHeaders | NoDocument>
  /** Drops the credential, because the server has refused it. */
  drop(): void
}

function createPersonCredential(open: () => SharedSignIn): ServerCredential {
  const ignore = () => {} // the events describe sign-ins for the gateway only
  let shared = open()
  const obtain = async (cause: AskCause) => {
    const kept = shared.reuse(0, ignore)
    if (kept) return { held: kept, obtained: 'kept' } as const
    const renewed = await shared.renew(cause === 'launch' ? 'session-start' : 'expired', ignore)
    if (renewed) return { held: renewed, obtained: 'renewal' } as const
    if (cause === 'background' || !shared.needsPerson) return undefined
    const signedIn = await shared.signIn(ignore)
    return signedIn && ({ held: signedIn, obtained: 'person' } as const)
  }
  return {
    obtain: async (cause) => {
      const found = await obtain(cause)
      if (!found) return reportSignIn(shared.problem, 'sign in when the client starts')
      return { headers: { authorization: `Bearer ${found.held.token.reveal()}` }, obtained: found.obtained }
    },
    drop: () => {
      shared = open()
    },
  }
}

function reportSignIn(message: string, hint: string): NoDocument {
  return { outcome: 'failed', reason: 'sign-in', message, hint }
}

/** How long the output of a headers helper is kept, in milliseconds (documentation of the client: "a few minutes"). */
const keptMs = 300_000

function createHeadersCredential(
  { headers, helper }: Extract<ServerSignIn, { kind: 'headers' }>,
  setup: ServerSignInSetup,
): ServerCredential {
  let kept: { readonly headers: Headers; readonly since: number } | undefined
  return {
    obtain: async () => {
      if (helper === undefined) return { headers, obtained: 'kept' }
      const isKept = kept !== undefined && setup.now() - kept.since < keptMs
      if (kept && isKept) return { headers: mergeHeaders(headers, kept.headers), obtained: 'kept' }
      const printed = await runHeadersHelper(helper, setup)
      if ('outcome' in printed) return printed
      kept = { headers: printed.headers, since: setup.now() }
      return { headers: mergeHeaders(headers, printed.headers), obtained: 'helper' }
    },
    drop: () => {
      kept = undefined
    },
  }
}

/**
 * Runs the program for its headers, without arguments and without the context variable: none is documented for it, so that our helpers ask
 * no person.
 */
async function runHeadersHelper(
  { command, prints }: HeadersHelper,
  { env, platform }: ServerSignInSetup,
): Promise<{ readonly headers: Headers } | NoDocument> {
  const planned = planLaunch({ command }, platform)
  if ('problem' in planned) return reportHelper(planned.problem)
  const { timeoutSec } = clientDefaults
  const launched = await launch(planned.command, env, timeoutSec * 1000)
  const failure = describeEnd(launched, timeoutSec)
  const said = toOneLine(redact(selectFirstLine(launched.stderr), []))
  if (failure) return reportHelper(said === '' ? failure.message : `${failure.message}; it says: ${said}`)
  const headers = parseHeaders(launched.stdout, prints)
  if (headers) return { headers }
  return reportHelper(`it prints no ${prints === 'headers' ? 'JSON object of headers' : 'headers and no token'}`)
}

function reportHelper(problem: string): NoDocument {
  const hint =
    'run it by itself and see what it prints; a helper of this suite prints headers with the option format = headers-json'
  return reportSignIn(`the helper for the configuration server gave no headers: ${problem}`, hint)
}

/** Parses the headers that a program prints; `undefined` for any other output. */
function parseHeaders(stdout: Uint8Array, prints: HeadersHelper['prints']): Headers | undefined {
  const object = parseObject(new TextDecoder().decode(stdout))
  const isCredential = object === undefined || isText(object.token)
  if (prints === 'headers or a token' && isCredential) {
    const parsed = parseOutput(stdout)
    if (!parsed.ok) return undefined
    return { ...parsed.output.headers, authorization: `Bearer ${parsed.output.token}` }
  }
  const isSendable = ([name, value]: [string, unknown]) => isHeaderName(name) && isText(value) && isSendableValue(value)
  if (object === undefined || !Object.entries(object).every(isSendable)) return undefined
  return object as Headers // every value is a text
}
