// Folder: signing in with an OpenID provider, in a browser that comes back or with a code.

import {
  buildAuthorizationUrl,
  buildAuthorizationUrlWithPAR,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { detectProviderFamily } from '../../../../contract/identity-providers/detect-family.ts'
import { usualRedirectPath } from '../../../../contract/identity-providers/family.ts'
import { HelperError } from '../../../../runtime/failure.ts'
import { fetchForSignIn } from '../../fetch-for-sign-in.ts'
import type { SignInPrompt, SignInTools } from '../../flow.ts'
import { type CallbackError, createCallbackPath, type ListenerOptions, listReferrers } from '../../listener/callback.ts'
import { runInBrowser } from '../../run-in-browser.ts'
import type { SignInWay } from '../../sign-in-options.ts'
import { createStoredSignIn, type SignInStore } from '../../store/sign-in-store.ts'
import { applyChallenge } from '../challenge.ts'
import { describeAccount } from '../describe-account.ts'
import { describeProvider } from '../describe-provider.ts'
import { computeScope, type OidcSettings, toScope } from '../oidc-settings.ts'
import { otherIssuer, toAnswerFailure, toCauseFailure } from '../protocol/answer-failure.ts'
import { connectProvider } from '../protocol/connect-provider.ts'
import { createConfiguration, type ProviderConnection } from '../protocol/create-configuration.ts'
import { type CodeRequest, exchangeCode, type SignedIn, toResource } from '../protocol/exchange-code.ts'
import { fetchAnswer } from '../protocol/fetch-answer.ts'
import { refuseErrorAnswer, toRefusal } from '../protocol/refuse-error-answer.ts'
import { runDeviceSignIn } from './run-device-sign-in.ts'

/**
 * Signs a person in with an OpenID provider: with a browser that comes back to this machine, or with a code if none can be opened.
 * @throws {HelperError} that every waiting run reports. Nothing is stored then.
 */
export async function runOidcSignIn(
  settings: OidcSettings,
  { store, way, tools }: { readonly store: SignInStore; readonly way: SignInWay; readonly tools: SignInTools },
): Promise<void> {
  const { host, call } = tools
  refuseReservedParameters(settings)
  // Checked first, so that nobody signs in if the store cannot be used.
  await store.prepare(call.deadline)
  const challenge = (await store.read(call.deadline))?.challenge
  const challenged = applyChallenge(settings, challenge)
  const { connection } = await connectProvider(challenged, { host, call, fetch: fetchForSignIn })
  const keep = async ({ tokens, subject }: SignedIn) => {
    const make = async () => {
      tools.beginStoring()
      return createStoredSignIn(tokens, host.clock.now(), subject)
    }
    await store.change(call.deadline, { make })
    return describeAccount(tokens.idToken, subject)
  }
  if (tools.canOpenBrowser) await askInBrowser(connection, tools, keep)
  else await keep(await runDeviceSignIn(connection, { tools, way }))
}

/**
 * Refuses parameters of the authorization request that would undo its protection, or contradict an option.
 * @throws {HelperError} `not-configured`
 */
function refuseReservedParameters({ parameters = {} }: Pick<OidcSettings, 'parameters'>): void {
  const name = Object.keys(parameters).find((key) => reserved.includes(key))
  if (name === undefined) return
  throw new HelperError(
    'not-configured',
    `the parameter ${name} is set for the authorization request, but the sign-in sets it itself`,
    `remove ${name} from the parameters of the authorization request`,
  )
}

/** A request for an authorization code, and the address that a person opens for it. */
interface AuthorizationRequest extends CodeRequest {
  readonly prompt: SignInPrompt
}

async function askInBrowser(
  connection: ProviderConnection,
  tools: SignInTools,
  keep: (signedIn: SignedIn) => Promise<string | undefined>,
): Promise<void> {
  await runInBrowser(tools, {
    listener: toListener(connection),
    begin: async (redirectUri) => {
      const request = await createAuthorizationRequest(redirectUri, connection)
      return { ...request, redeem: async (answer) => keep(await exchangeCode(answer, request, connection)) }
    },
  })
}

/**
 * Creates the listener's options. The listener explains an error in the redirect, so that the last page and every run show the same text.
 */
function toListener({ settings, metadata }: ProviderConnection): ListenerOptions {
  const { redirectHost, redirectPort, responseMode, issuer, additionalRedirectReferrerHosts: more } = settings
  return {
    hosts: [redirectHost],
    path: choosePath(settings),
    port: redirectPort,
    responseMode,
    referrers: listReferrers([issuer, metadata.authorization_endpoint], more),
    explainError: (error) => explainCallback(error, { settings, metadata }),
  }
}

/**
 * Chooses the path of the redirect URI: a random one, which a page in the person's browser cannot guess, or the registered one if the
 * provider compares it.
 */
function choosePath(settings: OidcSettings): string {
  if (settings.redirectPath !== undefined) return settings.redirectPath
  return detectProviderFamily(settings).loopback.path === 'any' ? createCallbackPath() : usualRedirectPath
}

/** Parameters that a sign-in sets itself, for the protocol or from an option. */
const reserved = [
  ...['client_id', 'response_type', 'response_mode', 'redirect_uri', 'scope', 'resource', 'state', 'nonce'],
  ...['code_challenge', 'code_challenge_method', 'request', 'request_uri'],
]

function explainCallback(
  { error, description, issuer, redirectUri }: CallbackError,
  { settings, metadata }: Pick<ProviderConnection, 'settings' | 'metadata'>,
): HelperError {
  const isOther = issuer !== undefined && metadata.issuer !== undefined && issuer !== metadata.issuer
  if (!isOther) return toRefusal({ error, description, where: 'callback' }, { settings, redirectUri })
  return toCauseFailure(otherIssuer, describeProvider(settings))
}

/**
 * Creates a new request, always with PKCE (RFC 7636, S256) and a new state, and with a nonce if it is for an ID token. It is pushed first
 * (RFC 9126) only if the provider requires that: a pushed request is valid for about a minute, after which the address in every message
 * no longer works, and some providers offer pushed requests only to confidential clients.
 */
export async function createAuthorizationRequest(
  redirectUri: string,
  connection: ProviderConnection,
): Promise<AuthorizationRequest> {
  const scope = computeScope(connection.settings)
  const nonce = scope.split(' ').includes('openid') ? randomNonce() : undefined
  const codeRequest = { redirectUri, codeVerifier: randomPKCECodeVerifier(), state: randomState(), nonce }
  const parameters = await prepareParameters(codeRequest, connection)
  const isPushed = connection.metadata.require_pushed_authorization_requests === true
  const prompt = isPushed
    ? await sendPushedRequest(parameters, redirectUri, connection)
    : { address: renderAddress(parameters, connection) }
  return { ...codeRequest, prompt }
}

/** Prepares the parameters. Those of the protocol come last, so that no other parameter replaces them. */
async function prepareParameters(
  { redirectUri, codeVerifier, state, nonce }: CodeRequest,
  { settings }: ProviderConnection,
): Promise<Record<string, string>> {
  return {
    ...settings.parameters,
    ...(settings.responseMode && { response_mode: settings.responseMode }),
    ...toResource(settings),
    ...toScope(settings),
    redirect_uri: redirectUri,
    state,
    ...(nonce !== undefined && { nonce }),
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
  }
}

async function sendPushedRequest(
  parameters: Record<string, string>,
  redirectUri: string,
  connection: ProviderConnection,
): Promise<SignInPrompt> {
  const { settings, parts } = connection
  const { result, answer } = await fetchAnswer(
    {
      isValidOnce: false,
      make: (configuration) => buildAuthorizationUrlWithPAR(configuration, parameters),
      refuse: (answer) => refuseErrorAnswer(answer, { where: 'par', settings, redirectUri }),
    },
    connection,
  )
  const lifeSec = Number(answer.members.expires_in)
  return { address: result.href, expiresAt: new Date(parts.host.clock.now() + lifeSec * 1000) }
}

function renderAddress(parameters: Record<string, string>, connection: ProviderConnection): string {
  const configuration = createConfiguration(connection, { skewSec: 0 }, neverFetch)
  try {
    return buildAuthorizationUrl(configuration, parameters).href
  } catch (error) {
    throw toAnswerFailure(error, connection.settings)
  }
}

/** Fails, because building an address sends no request. */
const neverFetch = () => Promise.reject(new Error('nothing is fetched here'))
