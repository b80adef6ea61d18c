import { expect, test } from 'vitest'
import { explainVerifierRefusal } from '../../../../src/client/doctor/verifier/explain-verifier-refusal.ts'
import { parseStatedToken } from '../../../../src/client/doctor/verifier/stated-token.ts'
import type { VerifierRefusalFacts } from '../../../../src/client/doctor/verifier/token-causes.ts'
import { type RefusalReason, refusalReasons } from '../../../../src/contract/refusal-reasons.ts'

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const jwt = (claims: object) => parseStatedToken(`${encode({ alg: 'ES384' })}.${encode(claims)}.c2ln`)
const iss = 'https://login.example.com'
const idToken = jwt({ iss, aud: ['desktop', 'other'], nonce: 'x', sub: 'dana' })
const accessToken = jwt({ iss, aud: 'api', scope: 'x' })
const awsToken = jwt({
  iss: 'https://abc.tokens.sts.global.api.aws',
  sub: 'arn:aws:iam::111122223333:role/dev',
  aud: 'x',
})
const proof = parseStatedToken('k8s-aws-v1.canary')
const opaque = parseStatedToken('canary')

const usual = { authScheme: 'bearer', headerNames: ['X-Team'], aheadSec: 2, leftSec: 0, stated: accessToken } as const
const operators = "the gateway's operators"

const rows: [reason: RefusalReason, facts: Partial<VerifierRefusalFacts>, cause: string, hint: string][] = [
  [
    'no-token',
    {},
    'the gateway found no token in the request; it was sent as bearer',
    `set authScheme to "x-api-key" and try again, or have ${operators} read the token from where it is`,
  ],
  [
    'several-tokens',
    {},
    'the request has more than one token, or one header twice, and the gateway takes neither',
    `ask ${operators} which proxy in between adds a token of its own`,
  ],
  [
    'several-tokens',
    { headerNames: ['Proxy-Authorization'] },
    'the request has more than one token, or one header twice, and the gateway takes neither',
    'remove Proxy-Authorization from customHeaders and from the helper',
  ],
  [
    'malformed',
    { stated: opaque },
    'the gateway cannot read the token, which is an opaque token',
    'look at what the helper prints: gatepass verify -- followed by its command; choose one for this gateway: gatepass choose',
  ],
  [
    'unknown-kind',
    { detail: 'a detail' },
    'the gateway takes no tokens of this kind, which is an access token (JWT): a detail',
    `ask ${operators} which kind it takes, and choose a helper for that: gatepass choose`,
  ],
  [
    'algorithm',
    {},
    'the gateway does not take tokens that are signed by "ES384"',
    'have the identity provider sign with one that the gateway takes, or have its operators accept this one',
  ],
  [
    'issuer',
    {},
    `the gateway does not trust the issuer of the token, "${iss}"`,
    `have ${operators} add that issuer to the policy, as it is written here, or use the identity provider that they trust`,
  ],
  [
    'issuer',
    { stated: jwt({}) },
    'the token names no issuer',
    `have ${operators} add that issuer to the policy, as it is written here, or use the identity provider that they trust`,
  ],
  [
    'unknown-key',
    {},
    `the token is signed with a key that its issuer "${iss}" does not publish`,
    "run `gatepass cache clear`, so that the helper gets a new token, for a key may have been withdrawn; if that is refused too, tell the identity provider's operators",
  ],
  [
    'signature',
    {},
    'the signature of the token does not hold: it was changed on the way, or somebody else has made it',
    "see whether it holds here: gatepass verify --issuer URL -- followed by the helper's command; if not, clear what is kept: gatepass cache clear",
  ],
  [
    'audience',
    { detail: 'it is for "api", not for "gw"' },
    'the token is for another audience than this gateway: it is for "api", not for "gw"',
    'ask for a token for the name that the gateway expects: by --audience, or by the scopes or the resource of the gateway',
  ],
  [
    'audience',
    { stated: idToken },
    'the token is for another audience than this gateway: it is for "desktop", "other"',
    `have ${operators} accept the audience "desktop", "other", which is the client that signed in; or send an access token: bearer-token-type access_token, with scopes of the gateway`,
  ],
  [
    'audience',
    { stated: awsToken },
    'the token is for another audience than this gateway: it is for "x"',
    "set the helper's option --audience to the name that the gateway expects",
  ],
  [
    'audience',
    { stated: proof },
    'the token is for another audience than this gateway',
    "set the helper's option --audience to the name that the gateway expects",
  ],
  [
    'expired',
    {},
    'the token has expired',
    'run `gatepass cache clear`, so that the helper gets a new token; if that is refused too, compare the clock of whoever issues it',
  ],
  [
    'expired',
    { aheadSec: -300 },
    "the token has expired; this machine's clock is 5 min behind the gateway's",
    'set the clock of this machine',
  ],
  [
    'expired',
    { leftSec: 500 },
    "the token has expired, although by this machine's clock it has 500 s left",
    'compare the clocks of this machine, of the gateway and of whoever issues the token',
  ],
  [
    'not-yet-valid',
    { aheadSec: 300 },
    "the token is not valid yet; this machine's clock is 5 min ahead of the gateway's",
    'set the clock of this machine',
  ],
  [
    'too-old',
    { detail: 'it lives 3600 s' },
    'the token is older, or lives longer, than the gateway accepts: it lives 3600 s',
    `have the helper make tokens with a shorter life (--lifetime, where it has that option), and set ttlSec no higher than the age that ${operators} accept`,
  ],
  [
    'host',
    {},
    'the proof is for a host of AWS STS that the gateway does not accept',
    "have the helper make it for a region of the gateway's AWS partition: --region",
  ],
  [
    'aws-refused',
    {},
    'AWS STS does not vouch for the proof that the token is',
    `compare the helper's option --audience, and --audience-header, with what ${operators} have set; otherwise sign in to AWS again`,
  ],
  [
    'certificate',
    { detail: 'a detail' },
    'the token is bound to another client certificate than that of the request: a detail',
    `have the client connect with the certificate with which the token was obtained, or ask ${operators} whether they pass it on: --client-cert-header`,
  ],
  [
    'key-binding',
    { detail: 'a detail' },
    'the token is bound to a key, and the request does not show that its sender has it: a detail',
    'use a client that sends a proof with each request (DPoP), or have the identity provider issue bearer tokens for this one',
  ],
  [
    'proof',
    { detail: 'a detail' },
    'the proof of possession (DPoP) is not valid for the request: a detail',
    "compare this machine's clock with the gateway's, and the address that the client uses with the one that the gateway passes on: --request-from",
  ],
  [
    'proof-replayed',
    {},
    'the proof of possession (DPoP) was used before, and each one is accepted once',
    'have the client make a new proof for each request, also for one that it repeats',
  ],
  [
    'replayed',
    {},
    'the token was used before, and the gateway accepts each one once',
    `ask ${operators} whether the policy may accept it more than once: a client sends a token with every request until its ttl has passed`,
  ],
  [
    'inactive',
    {},
    'the token is signed well, and its identity provider says that it is not active: it was revoked, or its owner signed out',
    `sign in again, so that the next token is a new one; if that does not help, ask ${operators} why`,
  ],
  [
    'revoked',
    {},
    'the token is good, and the gateway no longer accepts it: the token, its owner or its key is revoked',
    `sign in again, so that the next token is a new one; if that does not help, ask ${operators} why`,
  ],
  [
    'no-rule',
    { detail: 'no rule accepts its claims: groups' },
    'the token is good, and no rule of the gateway lets its owner pass: no rule accepts its claims: groups',
    `ask ${operators} for a rule for this identity of "${iss}"; tell them the line above`,
  ],
  [
    'no-rule',
    { stated: awsToken },
    'the token is good, and no rule of the gateway lets its owner pass',
    `ask ${operators} for a rule for "arn:aws:iam::111122223333:role/dev"; tell them the line above`,
  ],
  [
    'no-rule',
    { stated: proof },
    'the token is good, and no rule of the gateway lets its owner pass',
    `ask ${operators} for a rule for the AWS identity above, by its account and role; tell them the line above`,
  ],
  [
    'not-entitled',
    { stated: awsToken },
    'the token is good, and the configuration server has nothing for its owner',
    'ask the owners of the configuration for a group for "arn:aws:iam::111122223333:role/dev"; tell them the line above',
  ],
  [
    'no-release',
    {},
    'nothing is known to be wrong with the token: the configuration server has no release that it may serve',
    "try again; if it stays so, have the server's operators look at its log",
  ],
  [
    'keys-unavailable',
    {},
    `nothing is known to be wrong with the token: the gateway cannot fetch the keys of its issuer "${iss}"`,
    `try again; if it stays so, have ${operators} find out why their verifier cannot reach the issuer`,
  ],
  [
    'aws-unavailable',
    {},
    'nothing is known to be wrong with the token: the gateway cannot ask AWS STS',
    `try again; if it stays so, have ${operators} find out why their verifier cannot reach AWS STS`,
  ],
  [
    'replay-store-unavailable',
    {},
    'nothing is known to be wrong with the token: the gateway cannot determine whether it was used before',
    `try again; if it stays so, have ${operators} look at the Redis or Valkey of their verifier`,
  ],
  [
    'introspection-unavailable',
    {},
    'nothing is known to be wrong with the token: the gateway cannot ask its identity provider whether it is active',
    `try again; if it stays so, have ${operators} find out why their verifier gets no good answer from the provider`,
  ],
  [
    'revocations-unavailable',
    {},
    'nothing is known to be wrong with the token: the gateway cannot determine whether it is revoked',
    `try again; if it stays so, have ${operators} look at the revocations of their verifier`,
  ],
  [
    'no-tenant',
    {},
    'nothing is known to be wrong with the token: the gateway has no policy for the address that was asked',
    `compare the address that the client uses with the one that ${operators} have given you`,
  ],
  [
    'tenant-unavailable',
    {},
    'nothing is known to be wrong with the token: the gateway cannot use the policy for the address that was asked',
    `try again; if it stays so, have ${operators} look at the log of their verifier`,
  ],
  [
    'audit-unavailable',
    {},
    'nothing is known to be wrong with the token: the gateway cannot write the audit, without which nobody passes',
    `try again; if it stays so, have ${operators} look at the audit of their verifier`,
  ],
  [
    'verifier-unavailable',
    {},
    'nothing is known to be wrong with the token: the gateway cannot ask its verifier',
    `try again; if it stays so, have ${operators} look at the verifier: gatepass gateway health HOST:PORT`,
  ],
  [
    'too-many-requests',
    {},
    'the gateway lets no more requests through for now',
    `wait as long as Retry-After says; if it stays so, ask ${operators} for a higher limit`,
  ],
  [
    'too-many-requests',
    { detail: 'its owner may send 60 requests in 60 s' },
    'the gateway lets no more requests through for now: its owner may send 60 requests in 60 s',
    `wait as long as Retry-After says; if it stays so, ask ${operators} for a higher limit`,
  ],
  [
    'overloaded',
    {},
    'nothing is known to be wrong with the token: the verifier of the gateway has too much to do',
    `try again later; if it stays so, have ${operators} run more verifiers`,
  ],
  [
    'defect',
    {},
    'nothing is known to be wrong with the token: the verifier of the gateway has a defect',
    `give ${operators} the request id, by which their log has more`,
  ],
]

test.each(rows)('the refusal %s is explained from the facts %j', (reason, { detail, ...facts }, cause, hint) => {
  const refusal = detail === undefined ? { reason } : { reason, detail }
  expect(explainVerifierRefusal(refusal, { ...usual, ...facts })).toEqual({ outcome: 'bad', cause, hint })
})

test('every reason has a row here', () => {
  expect([...new Set(rows.map(([reason]) => reason))].toSorted()).toEqual(Object.keys(refusalReasons).toSorted())
})

test('text of a token is bounded and steers no terminal', () => {
  const stated = jwt({ iss: `https://a\u001b[2J\u202e${'x'.repeat(900)}`, aud: ['a\nb', 5, {}], sub: 'arn:aws\u0007' })
  expect(stated).toEqual({
    kind: 'jwt',
    title: 'a JWT',
    issuer: `"https://a\\u001b[2J\\u202e${'x'.repeat(186)}"`,
    audience: '"a\\nb"',
    arn: '"arn:aws\\u0007"',
    algorithm: '"ES384"',
  })
})
