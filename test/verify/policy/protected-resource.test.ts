import { describe, expect, test } from 'vitest'
import { requireRule } from '../../../src/verify/policy/match-rules.ts'
import { parsePolicy } from '../../../src/verify/policy/parse-policy.ts'
import { renderResourceMetadata, toMetadataPath } from '../../../src/verify/policy/protected-resource.ts'
import { toAnswer } from '../../../src/verify/server/gateway-answer.ts'
import { TokenRefusal, toRefusedVerdict } from '../../../src/verify/verdict.ts'
import { identityWith, issuer, policyFile, policyOf } from './policy-text.ts'

const url = 'https://gateway.example/mcp'
const people = { name: 'people', issuer, everyone: true, scopes: ['mcp:read'], headers: { 'x-user': '{sub}' } }
const writers = { ...people, name: 'writers', scopes: ['mcp:read', 'mcp:write'] }

function read(members: Readonly<Record<string, unknown>>) {
  const { policy, findings } = parsePolicy(Buffer.from(JSON.stringify(policyFile(members))))
  return { resource: policy?.resource, found: findings.map(({ code, path }) => `${code} ${path}`) }
}

describe('the resource of a policy', () => {
  test('has the issuers as its authorization servers, and the scopes of all rules', () => {
    const { resource, found } = read({ resource: { url, name: 'Tools (test)' }, rules: [writers, people] })
    const scopes = ['mcp:read', 'mcp:write']
    const whole = { url, authorizationServers: [issuer], scopes, name: 'Tools (test)' }
    expect({ resource, found }).toEqual({ resource: whole, found: [] })
    expect(JSON.parse(renderResourceMetadata(whole))).toEqual({
      resource: url,
      authorization_servers: [issuer],
      scopes_supported: scopes,
      bearer_methods_supported: ['header'],
      resource_name: 'Tools (test)',
    })
  })

  test('names its own servers and scopes', () => {
    const resource = { url: 'https://mcp.example', authorizationServers: ['https://idp.example/a'], scopes: [] }
    const { resource: read_, found } = read({ resource, rules: [people] })
    expect({ resource: read_, found }).toEqual({ resource, found: [] })
    expect(JSON.parse(renderResourceMetadata(resource))).toEqual({
      resource: 'https://mcp.example',
      authorization_servers: ['https://idp.example/a'],
      bearer_methods_supported: ['header'],
    })
  })

  test.each([
    ['https://mcp.example', '/.well-known/oauth-protected-resource'],
    ['https://mcp.example/', '/.well-known/oauth-protected-resource'],
    ['https://mcp.example/a/b', '/.well-known/oauth-protected-resource/a/b'],
  ])('%s has its metadata at %s', (address, path) => {
    expect({ ...read({ resource: { url: address } }), path: toMetadataPath({ url: address }) }).toEqual({
      resource: { url: address, authorizationServers: [issuer], scopes: [] },
      found: [],
      path,
    })
  })

  const many = Array.from({ length: 6 }, (_, at) => `https://login${at}.example`)
  test.each<[what: string, members: Readonly<Record<string, unknown>>, found: string[]]>([
    ['plain http', { resource: { url: 'http://mcp.example' } }, ['invalid-value resource.url']],
    ['a query', { resource: { url: `${url}?a=b` } }, ['invalid-value resource.url']],
    ['a fragment', { resource: { url: `${url}#a` } }, ['invalid-value resource.url']],
    ['a slash at the end', { resource: { url: `${url}/` } }, ['invalid-value resource.url']],
    ['a segment of dots', { resource: { url: 'https://mcp.example/a/../b' } }, ['invalid-value resource.url']],
    ['a user', { resource: { url: 'https://a@mcp.example/' } }, ['invalid-value resource.url']],
    ['a quotation mark', { resource: { url, name: "the 'best'" } }, ['invalid-value resource.name']],
    ['a variable of nginx', { resource: { url, scopes: ['$host'] } }, ['invalid-value resource.scopes[0]']],
    ['two scopes in one text', { rules: [{ ...people, scopes: ['a b'] }] }, ['invalid-value rules[0].scopes[0]']],
    [
      'a server over plain http',
      { resource: { url, authorizationServers: ['http://idp.example'] } },
      ['insecure-url resource.authorizationServers[0]'],
    ],
    [
      'no issuer that is an address',
      {
        issuers: [{ issuer: 'us', audiences: [url], longestLifeSec: 60, keys: { url: 'https://idp.example/keys' } }],
        resource: { url },
        rules: [{ ...people, issuer: 'us' }],
      },
      ['required-missing resource'],
    ],
    [
      'more issuers than metadata can name',
      {
        issuers: many.map((each) => ({ issuer: each, audiences: [url], longestLifeSec: 60 })),
        resource: { url },
        rules: many.map((each) => ({ ...people, name: each, issuer: each })),
      },
      ['required-missing resource'],
    ],
    [
      'scopes of an AWS identity',
      {
        aws: { audience: 'gateway.example' },
        rules: [people, { name: 'build', aws: { accounts: ['111122223333'] }, scopes: ['a'] }],
      },
      ['invalid-value rules[1].scopes'],
    ],
    ['a rule that one with fewer scopes hides', { rules: [people, writers] }, ['rule-hidden rules[1]']],
  ])('%s is reported', (_, members, found) => {
    expect(read(members).found).toEqual(found)
  })
})

describe('scopes of a rule', () => {
  const policy = policyOf([{ ...writers, claims: { groups: ['staff'] }, everyone: undefined }])
  const staff = { groups: ['staff'] }
  const refusal = (claims: Readonly<Record<string, unknown>>) => {
    try {
      return requireRule(identityWith(claims), policy).rule.name
    } catch (thrown) {
      const { reason, detail, requiredScopes } = thrown as TokenRefusal
      return { reason, detail, requiredScopes }
    }
  }
  const noRule = 'no rule accepts its claims:'
  const lacking = { reason: 'no-rule', detail: `${noRule} scope (lacks one)`, requiredScopes: writers.scopes }

  test.each<[what: string, claims: Readonly<Record<string, unknown>>, outcome: unknown]>([
    ['all in one text (RFC 9068)', { ...staff, scope: 'openid mcp:write mcp:read' }, 'writers'],
    ['all in scp, as a text', { ...staff, scp: 'mcp:read mcp:write' }, 'writers'],
    ['all in scp, as a list', { ...staff, scp: ['mcp:read', 'mcp:write'] }, 'writers'],
    ['one of two', { ...staff, scope: 'mcp:read' }, lacking],
    ['one that begins alike', { ...staff, scope: 'mcp:read mcp:writer' }, lacking],
    ['none', staff, lacking],
    ['something else than texts', { ...staff, scope: 7, scp: [{ a: 'mcp:read' }] }, lacking],
    [
      'one of two, where a claim is missing too',
      { scope: 'mcp:read' },
      { reason: 'no-rule', detail: `${noRule} groups (not in the token)`, requiredScopes: undefined },
    ],
  ])('are read %s', (_, claims, outcome) => {
    expect(refusal(claims)).toEqual(outcome)
  })
})

describe('the challenge', () => {
  const resource = { url, authorizationServers: [issuer], scopes: ['mcp:read'] }
  const metadata = 'resource_metadata="https://gateway.example/.well-known/oauth-protected-resource/mcp"'
  const challenge = (refusal: TokenRefusal, of?: typeof resource) => {
    const { status, headers } = toAnswer(toRefusedVerdict(refusal), 'req_1', of)
    return { status, challenge: headers[headers.indexOf('www-authenticate') + 1] }
  }
  const noRule = 'the token is good, and no rule of the policy lets its owner pass'
  const stepUp = new TokenRefusal('no-rule', { requiredScopes: ['mcp:read', 'mcp:write'] })

  test.each<[what: string, refusal: TokenRefusal, status: number, challenge: string]>([
    ['without a token', new TokenRefusal('no-token'), 401, `Bearer realm="gatepass", scope="mcp:read", ${metadata}`],
    [
      'for an expired token',
      new TokenRefusal('expired'),
      401,
      `Bearer realm="gatepass", error="invalid_token", error_description="the token has expired", scope="mcp:read", ${metadata}`,
    ],
    [
      'where the scope alone is missing',
      stepUp,
      403,
      `Bearer realm="gatepass", error="insufficient_scope", error_description="${noRule}", scope="mcp:read mcp:write", ${metadata}`,
    ],
    [
      'where another token would not help',
      new TokenRefusal('no-rule'),
      403,
      `Bearer realm="gatepass", error_description="${noRule}", ${metadata}`,
    ],
  ])('%s leads to the metadata', (_, refusal, status, expected) => {
    expect(challenge(refusal, resource)).toEqual({ status, challenge: expected })
  })

  test('of a policy without a resource names neither', () => {
    const text = `Bearer realm="gatepass", error="insufficient_scope", error_description="${noRule}"`
    expect(challenge(stepUp)).toEqual({ status: 403, challenge: text })
  })
})
