import { isPromptAllowed } from '../../contract/context.ts'
import type { ServedToken } from '../mint/cached-call.ts'
import { serveToken } from '../mint/serve-token.ts'
import { type PreparedRequest, prepareRequest, type UnplannedCall } from './prepare-request.ts'

/** What was served to a call, and from which plan. */
export interface ServedCall extends PreparedRequest {
  readonly served: ServedToken
}

/** What came of a call before any person was asked. */
export type Attempt = ServedCall | (PreparedRequest & { readonly failure: unknown })

/** Serves a token to a call; where a person has to sign in first, may be asked and does, after that. */
export async function serveCall(unplanned: UnplannedCall): Promise<ServedCall> {
  return serveAttempt(unplanned, await attemptCall(unplanned, await prepareRequest(unplanned)))
}

/** Serves a token without asking anybody. It never throws: what failed is in the result. */
export async function attemptCall({ host, call }: UnplannedCall, prepared: PreparedRequest): Promise<Attempt> {
  try {
    return { ...prepared, served: await serveToken(host, call, prepared.request) }
  } catch (failure) {
    return { ...prepared, failure }
  }
}

/**
 * Serves the token after a sign-in, where an attempt failed for the want of one.
 * @throws the failure, where no sign-in helps or nobody may be asked.
 */
export async function serveAttempt(unplanned: UnplannedCall, attempt: Attempt): Promise<ServedCall> {
  if ('served' in attempt) return attempt
  const { helper, host, options, call } = unplanned
  const { signIn } = helper
  if (!signIn) throw attempt.failure
  const { serveAfterSignIn } = await import('../mint/serve-after-sign-in.ts')
  let prepared: PreparedRequest = attempt
  const served = await serveAfterSignIn(attempt.failure, {
    ...{ host, call },
    // An explanation is read by somebody who wants to know what would happen.
    mayAsk: isPromptAllowed(call.context) && !options.explain,
    findSignIn: () => signIn(host, options, call, prepared.plan),
    prepare: async () => {
      prepared = await prepareRequest(unplanned)
      return prepared.request
    },
  })
  return { ...prepared, served }
}
