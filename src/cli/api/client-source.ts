import type { ApiCredential, ApiCredentialSource } from '../../api/request/connection.ts'
import type { SessionCredential } from '../../client/credentials/credential-source.ts'
import { selectCredentialSource } from '../../client/credentials/select-credential-source.ts'
import { type HeldCredential, runCredentialHelper } from '../../client/launch/run-credential-helper.ts'
import { defaultLookAheadSec } from '../../client/session/client.ts'
import type { OpenSignIn } from '../../client/sign-in/client-sign-in.ts'
import { isSignIn } from '../../client/sign-in/find-sign-in.ts'
import type { ClientEventBody } from '../../client/timeline/client-event.ts'
import { type GatewayInference, resolveAuthScheme } from '../../client/turn/gateway-inference.ts'
import { mergeHeaders } from '../../contract/headers.ts'
import { HelperError, toOneLine } from '../../runtime/failure.ts'
import type { Cli } from '../cli.ts'
import { programName } from '../program-name.ts'

/** The credential of a document, by the client's own rules: the command is one session, and each request a turn. */
export function openClientSource(
  { host, terminal }: Cli,
  inference: GatewayInference,
  openSignIn: OpenSignIn,
): ApiCredentialSource {
  const { env, platform, clock, streams } = host
  const world = {
    now: clock.now,
    lookAheadSec: defaultLookAheadSec,
    runHelper: runCredentialHelper,
    openSignIn,
  }
  const source = selectCredentialSource(inference.credential, { env, platform, ...world })
  let failure: HelperError | undefined
  const tell = (happening: ClientEventBody) => {
    if ('stderr' in happening) terminal.tell(renderStderr(happening.stderr))
    if (happening.type === 'helper-failed') failure = describeFailure(happening.message, inference)
    if (happening.type === 'sign-in-failed' || happening.type === 'renewal-failed')
      failure = new HelperError(happening.reason, happening.message, 'start again')
    if (happening.type === 'expiry-prompt' && !isSignIn(inference.credential)) terminal.tell(renewalIsOff)
  }
  let starting: Promise<SessionCredential> | undefined
  let held: HeldCredential | undefined
  const startOnce = () => {
    const context = streams.attached() === 'terminal' ? 'interactive' : 'scheduled-task'
    starting ??= source.startSession(context, tell).then(({ session }) => session)
    return starting
  }
  return {
    current: async () => {
      held = await (await startOnce()).beforeTurn(tell)
      if (held) return render(held, inference)
      throw failure ?? toMissing(source.missing, inference)
    },
    renew: async () => {
      const renewed = held && (await (await startOnce()).afterRefusal(held, tell))
      if (renewed) return render(renewed, inference)
      if (failure) throw failure
      return undefined
    },
  }
}

function toMissing({ message }: { readonly message: string }, { credential }: GatewayInference): HelperError {
  if (!isSignIn(credential)) return new HelperError('not-configured', message, 'correct the document')
  const reason = 'a person has to sign in, and standard input is no terminal'
  return new HelperError('sign-in-required', reason, 'run the command in a terminal')
}

/** A helper's own words, each line marked as such, so that none can pass for a line of ours. */
function renderStderr(stderr: string): string {
  const lines = stderr.trim().split(/\r?\n/)
  return stderr.trim() === '' ? '' : lines.map((line) => `helper: ${toOneLine(line)}\n`).join('')
}

const renewalIsOff = `${programName}: the credential was refused and is not renewed: silentRefreshEnabled is false\n`

function render({ token, headers }: HeldCredential, inference: GatewayInference): ApiCredential {
  return { token, headers: mergeHeaders(inference.customHeaders ?? {}, headers), scheme: resolveAuthScheme(inference) }
}

function describeFailure(message: string, { credential }: GatewayInference): HelperError {
  const helper = credential?.kind === 'helper-script' ? credential : undefined
  return new HelperError(
    'refused',
    `the credential helper gave no credential: ${message}`,
    `see what it says: ${programName} check-helper '${toOneLine(helper?.command ?? helper?.commandWindows ?? '')}'`,
  )
}
