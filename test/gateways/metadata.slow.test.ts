import { expect, test } from 'vitest'
import { parsePolicy } from '../../src/verify/policy/parse-policy.ts'
import { findRecipeTerms } from '../../src/verify/policy/recipe-terms.ts'
import { startRotatingIssuer } from '../stand-ins/issuer/rotating-issuer.ts'
import { startModel } from '../stand-ins/model/model.ts'
import { runWithGateway } from './run-with-gateway.ts'
import { audience, people } from './stage/print-tokens.ts'
import { bearer } from './stage/scenario.ts'
import { sendRequest } from './stage/send.ts'
import { gateways, withVerifier } from './verified-gateways.ts'

const resource = 'https://gateway.example/mcp'
const path = '/.well-known/oauth-protected-resource/mcp'
const metadata = `resource_metadata="https://gateway.example${path}"`

test.each(Object.entries(gateways))(
  'a client finds through the recipe for %s where it gets a token, and which scope it lacks',
  async (_, start) => {
    await using issuer = await startRotatingIssuer()
    await using model = await startModel()
    const policy = renderPolicy(issuer.issuer)
    const { names, resource: named } = findRecipeTerms(parsePolicy(Buffer.from(policy)).policy!)!
    const token = (scope: string) => issuer.sign({ ...people.dana, aud: audience.jwt, scope })
    const [good, poor] = await Promise.all([token('openid mcp:tools'), token('openid')])
    const seen = await withVerifier(policy, (verifierSocket) =>
      runWithGateway(
        (directory) => start({ directory, verifierSocket, modelPort: model.port, terms: { names, resource: named! } }),
        async ({ url }) => {
          const ask = async (asked: string, method: string, ...headers: (readonly [string, string])[]) => {
            const answer = await sendRequest(url, { path: asked, method, headers })
            const {
              'content-type': type,
              'www-authenticate': challenge,
              'access-control-allow-origin': origin,
            } = answer.headers
            return { status: answer.status, type, challenge, origin, body: answer.body, passed: model.take().length }
          }
          return {
            metadata: await ask(path, 'GET'),
            withQuery: await ask(`${path}?a=b`, 'GET'),
            noToken: await ask('/mcp', 'POST'),
            poor: await ask('/mcp', 'POST', bearer(poor)),
            good: (await ask('/mcp', 'POST', bearer(good))).passed,
            longer: (await ask(`${path}/more`, 'GET')).passed,
          }
        },
      ),
    )
    const document = {
      status: 200,
      type: 'application/json',
      challenge: undefined,
      origin: '*',
      body: JSON.stringify({
        resource,
        authorization_servers: [issuer.issuer],
        scopes_supported: ['mcp:tools'],
        bearer_methods_supported: ['header'],
      }),
      passed: 0,
    }
    const error =
      'error="insufficient_scope", error_description="the token is good, and no rule of the policy lets its owner pass: no rule accepts its claims: scope (lacks one)"'
    const refused = { type: 'application/json', origin: undefined, body: expect.any(String), passed: 0 }
    expect(seen).toEqual({
      metadata: document,
      withQuery: document,
      noToken: { ...refused, status: 401, challenge: `Bearer realm="gatepass", scope="mcp:tools", ${metadata}` },
      poor: { ...refused, status: 403, challenge: `Bearer realm="gatepass", ${error}, scope="mcp:tools", ${metadata}` },
      good: 1,
      longer: 0,
    })
  },
)

function renderPolicy(issuer: string): string {
  return JSON.stringify({
    issuers: [{ issuer, audiences: [audience.jwt] }],
    resource: { url: resource },
    rules: [{ name: 'tools', issuer, everyone: true, scopes: ['mcp:tools'], headers: { 'x-user': '{email}' } }],
  })
}
