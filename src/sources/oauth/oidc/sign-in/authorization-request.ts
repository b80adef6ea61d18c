import {
  buildAuthorizationUrl,
  buildAuthorizationUrlWithPAR,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import type { SignInPrompt } from '../../flow.ts'
import { computeScope, toScope } from '../compute-scope.ts'
import { toAnswerFailure } from '../protocol/answer-failure.ts'
import { createConfiguration } from '../protocol/create-configuration.ts'
import { type CodeRequest, toResource } from '../protocol/exchange-code.ts'
import { fetchAnswer } from '../protocol/fetch-answer.ts'
import type { ProviderConnection } from '../protocol/provider-connection.ts'
import { refuseRefusal } from '../protocol/refuse-refusal.ts'

/** A request for an authorization code, and the address that a person opens for it. */
export interface AuthorizationRequest extends CodeRequest {
  readonly prompt: SignInPrompt
}

/**
 * Makes a new request: with PKCE (RFC 7636, S256) and a state of its own always, and a nonce where it is for an ID token. It is pushed first (RFC 9126) where the
 * provider requires that, and not where it only offers it: a pushed request is valid for a minute or so, after which the address in
 * every message leads nowhere, and some providers offer it to confidential clients alone.
 */
export async function createAuthorizationRequest(
  redirectUri: string,
  connection: ProviderConnection,
): Promise<AuthorizationRequest> {
  const scope = computeScope(connection.settings)
  const nonce = scope.split(' ').includes('openid') ? randomNonce() : undefined
  const codeRequest = { redirectUri, codeVerifier: randomPKCECodeVerifier(), state: randomState(), nonce }
  const parameters = await toParameters(codeRequest, connection)
  const isPushed = connection.metadata.require_pushed_authorization_requests === true
  const prompt = isPushed
    ? await pushRequest(parameters, redirectUri, connection)
    : { address: renderAddress(parameters, connection) }
  return { ...codeRequest, prompt }
}

/** What the protocol needs comes last, so that no other parameter replaces it. */
async function toParameters(
  { redirectUri, codeVerifier, state, nonce }: CodeRequest,
  { settings }: ProviderConnection,
): Promise<Record<string, string>> {
  return {
    ...settings.parameters,
    ...(settings.responseMode && { response_mode: settings.responseMode }),
    ...toResource(settings),
    ...toScope(settings),
    ...{ redirect_uri: redirectUri, state },
    ...(nonce !== undefined && { nonce }),
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
  }
}

function renderAddress(parameters: Record<string, string>, connection: ProviderConnection): string {
  const configuration = createConfiguration(connection, { skewSec: 0 }, neverFetch)
  try {
    return buildAuthorizationUrl(configuration, parameters).href
  } catch (error) {
    throw toAnswerFailure(error, connection.settings)
  }
}

/** An address is made without a request. */
const neverFetch = () => Promise.reject(new Error('nothing is fetched here'))

async function pushRequest(
  parameters: Record<string, string>,
  redirectUri: string,
  connection: ProviderConnection,
): Promise<SignInPrompt> {
  const { settings, parts } = connection
  const { result, answer } = await fetchAnswer(
    {
      isValidOnce: false,
      make: (configuration) => buildAuthorizationUrlWithPAR(configuration, parameters),
      refuse: (answer) => refuseRefusal(answer, { where: 'par', settings, redirectUri }),
    },
    connection,
  )
  const life = Number(answer.members.expires_in)
  return { address: result.href, expiresAt: new Date(parts.host.clock.now() + life * 1000) }
}
