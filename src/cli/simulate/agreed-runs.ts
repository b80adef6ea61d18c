import { isDeepStrictEqual } from 'node:util'
import type { OpenSignIn } from '../../client/credentials/client-sign-in.ts'
import type { RunHelper } from '../../client/launch/run-credential-helper.ts'
import type { HelperScriptCredential } from '../../config/document.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { OidcSettings } from '../../sources/oauth/oidc/settings.ts'

/** The programs and providers that a person has agreed to. */
export interface AgreedRuns {
  readonly helpers: readonly HelperScriptCredential[]
  readonly providers: readonly OidcSettings[]
}

/** Runs no other program than those that a person has agreed to. */
export function restrictRuns(run: RunHelper, agreed: AgreedRuns | undefined): RunHelper {
  return async (helper, context, setup) => {
    if (!agreed || agreed.helpers.some((other) => isDeepStrictEqual(toStarted(other), toStarted(helper))))
      return run(helper, context, setup)
    const message = `the configuration server names another program now, to which you have not agreed: ${helper.command ?? helper.commandWindows}`
    return { ok: false, reason: 'not-startable', message, durationMs: 0, survivors: 'none', stderr: '' }
  }
}

function toStarted({ command, commandWindows, args, awsEnv }: HelperScriptCredential) {
  return [command, commandWindows, args, awsEnv]
}

/** Opens no other sign-in page than those that a person has agreed to. */
export function restrictSignIns(open: OpenSignIn, agreed: AgreedRuns | undefined): OpenSignIn {
  return (settings) => {
    if (!agreed || agreed.providers.some((other) => isDeepStrictEqual(other, settings))) return open(settings)
    const message = 'the configuration server names another provider now, to which you have not agreed'
    const failure = new HelperError('refused', message, 'run the simulation again')
    const fail = async () => ({ ok: false, failure, durationMs: 0 }) as const
    return { signIn: fail, renew: fail }
  }
}
