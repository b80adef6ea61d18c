import { type Context, errors, type Provider } from 'oidc-provider'
import { Refused } from '../identity/exchange-rules.ts'

/** RFC 8693, section 2.1. */
export const tokenExchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** The token that a provider issues for the form of a token exchange. @throws {Refused} */
export type AnswerExchange = (form: URLSearchParams) => Promise<object>

const parameters = ['subject_token', 'subject_token_type', 'requested_token_type', 'audience', 'resource', 'scope']

/** Has a provider exchange the tokens of its own people; the client is authenticated by the provider. */
export function addTokenExchange(provider: Provider, answer: AnswerExchange): void {
  const handle = async (context: Context) => {
    const body = (context.oidc?.body ?? {}) as Record<string, string | readonly string[]>
    const form = new URLSearchParams()
    for (const [name, values] of Object.entries(body)) for (const value of [values].flat()) form.append(name, value)
    try {
      context.body = await answer(form)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      throw new errors.CustomOIDCProviderError(error.code, error.message)
    }
  }
  provider.registerGrantType(tokenExchangeGrant, handle, parameters, ['audience', 'resource'])
}
