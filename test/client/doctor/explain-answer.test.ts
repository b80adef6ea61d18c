import { describe, expect, test } from 'vitest'
import { explainNoAnswer } from '../../../src/client/doctor/examine-credential.ts'
import { explainAnswer } from '../../../src/client/doctor/explain-answer.ts'
import type { NoAnswer } from '../../../src/client/session/turn.ts'
import { findKeyGateway, keyServices } from '../../../src/contract/aws/keys.ts'
import type { TokenFacts } from '../../../src/runtime/tokens/token-facts.ts'

const now = Date.parse('2026-03-02T09:00:00Z')
const opaque: TokenFacts = { fingerprint: '', bytes: 10 }
const stated = { kind: 'opaque', title: 'an opaque token' } as const
const [bedrockService, external] = keyServices
const awsKey = { service: bedrockService!, region: 'eu-central-1', signedAt: now, expiresSec: 3600 }
const bedrock: TokenFacts = { ...opaque, awsKey: { ...awsKey, signature: 'unknown' } }
const externalKey: TokenFacts = { ...opaque, awsKey: { ...awsKey, service: external!, signature: 'unknown' } }
const dead: TokenFacts = { ...opaque, end: { source: 'JWT exp', at: now } }

interface Case {
  readonly status: number
  readonly text?: string
  readonly isMessage?: boolean
  readonly headers?: Record<string, string>
  readonly facts?: TokenFacts
  readonly authScheme?: 'bearer' | 'x-api-key'
  readonly location?: string
}

function explain({
  status,
  text = '',
  isMessage = false,
  headers = {},
  facts = opaque,
  authScheme = 'bearer',
  location,
}: Case): string[] {
  const answer = { status, text, isMessage, headers: new Headers(headers) }
  const { outcome, cause, hint } = explainAnswer({ answer, facts, authScheme, now, location, headerNames: [], stated })
  return [outcome, cause, ...(hint ? [hint] : [])]
}

const otherScheme = (sent: string, other: string) => [
  'bad',
  `the gateway asks for a credential in another form; this one was sent as ${sent}`,
  `set authScheme to "${other}" and try again`,
]
const unknownToken = [
  'bad',
  'the gateway does not know this token: it is meant for another gateway, issuer or account, or was revoked',
  `ask the gateway's operators whom they trust; if they take keys, set authScheme to "x-api-key"`,
]
const expired = ['bad', 'the token has expired', 'check whether the helper caches expired tokens']
const clock = (words: string) => [
  'bad',
  `this machine's clock is ${words} the gateway's`,
  'set the clock of this machine',
]
const page = [
  'bad',
  'a page came back instead of a message (HTTP 200), as from a sign-in',
  'set baseUrl to the address of the API itself',
]
const signInPage =
  "set baseUrl to the address of the API itself; if it is that already, have the gateway's operators take the sign-in page away from the API"
const unknownModel = [
  'bad',
  'the gateway does not take the model "default", for which doctor asks',
  'have the gateway\'s operators map the model "default" to one of theirs, or try a turn in the client itself, with a model that it offers',
]
const outage = (cause: string, what = 'the status and the time of the request') => [
  'bad',
  cause,
  `nothing to change here: try again later; if it stays so, give the gateway's operators ${what}`,
]
const headers = (what = 'the status and the time of the request') =>
  `compare what it says with inference.baseUrl and inference.customHeaders, where headers are configured (a helper adds some with --header "Name: value"); otherwise give its operators ${what}`

const noMessage = [
  'bad',
  'the answer holds no message',
  'check that baseUrl followed by /v1/messages is the address of the API',
]

describe('an answer of 401 or 403', () => {
  test.each<[what: string, answer: Case, explanation: string[]]>([
    ['a dead token', { status: 401, facts: dead }, expired],
    ['a dead token, as services differ in the status', { status: 403, facts: { ...bedrock, ...dead } }, expired],
    ['a clock behind', { status: 401, headers: { date: 'Mon, 02 Mar 2026 09:10:00 GMT' } }, clock('10 min behind')],
    [
      'a clock ahead, which explains a dead token too',
      { status: 403, facts: dead, headers: { date: 'Mon, 02 Mar 2026 08:50:00 GMT' } },
      clock('10 min ahead of'),
    ],
    ['a clock that is nearly right', { status: 401, headers: { date: 'Mon, 02 Mar 2026 09:01:30 GMT' } }, unknownToken],
    ['a malformed date', { status: 401, headers: { date: 'soon' } }, unknownToken],
    [
      'a body that asks for a key',
      { status: 401, text: '{"message":"missing X-Api-Key"}' },
      otherScheme('bearer', 'x-api-key'),
    ],
    [
      'another scheme',
      { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } },
      otherScheme('bearer', 'x-api-key'),
    ],
    [
      'a key where a bearer token is asked for',
      { status: 401, authScheme: 'x-api-key', headers: { 'www-authenticate': 'Bearer' } },
      otherScheme('x-api-key', 'bearer'),
    ],
    [
      'the right scheme with a token that is not known',
      { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } },
      [
        'bad',
        'the gateway says that the token is not valid, but not why; it is an opaque token, and many gateways take JWTs only',
        "ask the gateway's operators which kind they take, and choose a helper for that: gatepass choose",
      ],
    ],
    ['nothing else', { status: 401 }, unknownToken],
    [
      'a key that is not valid, here or upstream',
      { status: 401, text: '{"error":{"message":"invalid x-api-key"}}' },
      [
        'bad',
        "a key is not valid: either the token has another form than the gateway asks for (it was sent as bearer), or it is the gateway's own key upstream",
        'set authScheme to "x-api-key" and try again; if the answer stays the same, have the gateway\'s operators check the key with which the gateway calls its model provider',
      ],
    ],
    [
      'AWS credentials that the gateway has, in its own words',
      {
        status: 403,
        text: '{"error":{"message":"BedrockException: ExpiredTokenException: The security token is expired"}}',
      },
      [
        'bad',
        'the AWS credentials behind the gateway have expired',
        "nothing to change here: have the gateway's operators look at the AWS credentials with which it calls AWS (ExpiredToken)",
      ],
    ],
    [
      'AWS credentials of the token, in a gateway’s own words',
      { status: 403, facts: bedrock, text: '{"error":{"message":"BedrockException: ExpiredTokenException: no"}}' },
      [
        'bad',
        'the AWS credentials that the token was made with have expired or were revoked',
        'sign in again; then clear the tokens that were made with them: gatepass cache clear',
      ],
    ],
    [
      'a right of AWS that the gateway lacks',
      {
        status: 403,
        text: '{"message":"User: arn:aws:sts::111122223333:assumed-role/gw/i is not authorized to perform: bedrock:InvokeModel on resource: x"}',
      },
      [
        'bad',
        'the AWS identity behind the gateway is not allowed bedrock:InvokeModel',
        "have the gateway's operators allow it bedrock:InvokeModel",
      ],
    ],
    [
      'a date of an answer from a cache, which says nothing of the clock',
      { status: 401, headers: { date: 'Mon, 02 Mar 2026 08:00:00 GMT', age: '3600' } },
      unknownToken,
    ],
    [
      'a Bedrock key without permission',
      { status: 403, facts: bedrock },
      [
        'bad',
        'the AWS identity of the token is not allowed to do this',
        'allow it bedrock:CallWithBearerToken, and bedrock:InvokeModel for the model',
      ],
    ],
    [
      'a page in between',
      { status: 403, headers: { 'content-type': 'text/html' } },
      [
        'bad',
        'an HTML page came back; something between this machine and the gateway answered',
        'check for a proxy or a firewall in between',
      ],
    ],
    [
      'a known token without a role',
      { status: 403 },
      [
        'bad',
        'the gateway knows the token, but it may not do this: a role, a model or a workspace is missing',
        "ask the gateway's operators what this identity may do",
      ],
    ],
  ])('points to %s', (_, answer, explanation) => {
    expect(explain(answer)).toEqual(explanation)
  })
})

describe('any other answer', () => {
  test.each<[answer: Case, explanation: string[]]>([
    [{ status: 200, isMessage: true }, ['good', 'the gateway answered the turn']],
    [{ status: 200 }, noMessage],
    [{ status: 204 }, noMessage],
    [{ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } }, page],
    [{ status: 302 }, ['bad', 'the gateway redirects instead of answering (HTTP 302)', signInPage]],
    [
      { status: 302, location: 'https://login.example.com/authorize?…' },
      [
        'bad',
        'the gateway redirects instead of answering (HTTP 302): to https://login.example.com/authorize?…',
        signInPage,
      ],
    ],
    [
      { status: 308, location: 'https://gateway.example.com/api/v1/messages' },
      [
        'bad',
        'the gateway redirects instead of answering (HTTP 308): to https://gateway.example.com/api/v1/messages',
        'set baseUrl to https://gateway.example.com/api',
      ],
    ],
    [{ status: 400 }, ['bad', 'the gateway refuses the request (HTTP 400)', headers()]],
    [
      { status: 400, text: '{"error":{"message":"missing required header: x-tenant"}}' },
      [
        'bad',
        'the gateway refuses the request (HTTP 400)',
        'set the header in inference.customHeaders of the document, or have the helper print it: --header "Name: value"',
      ],
    ],
    [{ status: 400, text: '{"error":{"message":"model default is not known"}}' }, unknownModel],
    [{ status: 404, text: '{"error":{"code":"model_not_found","message":"no such thing"}}' }, unknownModel],
    [
      { status: 400, text: '<center>The plain HTTP request was sent to HTTPS port</center>' },
      ['bad', 'that port speaks https, but the request used http', 'write https:// into baseUrl'],
    ],
    [
      { status: 200, text: '{"type":"error","error":{"type":"api_error","message":"no"}}' },
      [
        'bad',
        'the gateway reports an error, with HTTP 200 instead of an error status',
        'nothing to change here: give its operators the status and the time of the request',
      ],
    ],
    [{ status: 400, text: '{"error":"invalid_token","error_description":"expired"}' }, unknownToken],
    [{ status: 422, text: '{"error":{"type":"authentication_error","message":"who?"}}' }, unknownToken],
    [
      { status: 429 },
      [
        'bad',
        'the gateway lets no more requests through for now (HTTP 429)',
        "try again later; if it stays so, ask the gateway's operators for the limit of this identity",
      ],
    ],
    [
      { status: 429, headers: { 'retry-after': '30' } },
      [
        'bad',
        'the gateway lets no more requests through for now (HTTP 429)',
        "try again after 30 s; if it stays so, ask the gateway's operators for the limit of this identity",
      ],
    ],
    [
      { status: 404 },
      [
        'bad',
        'there is no Messages API at this address (HTTP 404), or no model "default"',
        'check that baseUrl followed by /v1/messages is the address of the API',
      ],
    ],
    [
      { status: 407 },
      [
        'bad',
        'a proxy asks for its own sign-in',
        'have the proxy let the gateway through without one, or list its host in NO_PROXY',
      ],
    ],
    [
      { status: 529, headers: { 'request-id': 'req_1' } },
      outage('the gateway, or its backend, is overloaded (HTTP 529)', 'the request id'),
    ],
    [{ status: 500 }, outage('the gateway failed (HTTP 500)')],
    [
      { status: 502, headers: { 'content-type': 'text/html' }, text: '<center>nginx</center>' },
      outage("the gateway's backend is down (HTTP 502)"),
    ],
    [{ status: 503 }, outage('the gateway, or its backend, is not available for now (HTTP 503)')],
    [{ status: 504 }, outage("the gateway's backend gave no answer in time (HTTP 504)")],
    [{ status: 418 }, ['bad', 'the gateway refuses the request (HTTP 418)', headers()]],
  ])('%o is explained', (answer, explanation) => {
    expect(explain(answer)).toEqual(explanation)
  })
})

describe('no answer', () => {
  test.each<[reason: NoAnswer, cause: string, hint: string]>([
    [
      { reason: 'unreachable', code: 'ENOTFOUND' },
      'the gateway cannot be reached (ENOTFOUND)',
      'check the name in baseUrl, the name service and the VPN',
    ],
    [
      { reason: 'unreachable', code: 'ECONNREFUSED' },
      'the gateway cannot be reached (ECONNREFUSED)',
      'check baseUrl, the network, the VPN and the proxy',
    ],
    [
      { reason: 'unreachable', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
      'the gateway cannot be reached (DEPTH_ZERO_SELF_SIGNED_CERT)',
      'give this program the certificate authority: NODE_EXTRA_CA_CERTS',
    ],
    [{ reason: 'unreachable' }, 'the gateway cannot be reached', 'check baseUrl, the network, the VPN and the proxy'],
    [
      { reason: 'unsendable' },
      'the token or a header holds characters that HTTP cannot carry',
      'have the helper print a token of visible ASCII characters',
    ],
    [{ reason: 'broken' }, 'the gateway reported an error in the middle of its answer', "ask the gateway's operators"],
  ])('%o is explained', (silence, cause, hint) => {
    expect(explainNoAnswer(silence, 'https://gateway.example.com')).toEqual({
      outcome: 'bad',
      cause,
      hint,
    })
  })
})

describe('a key for a service of AWS, refused by a gateway of AWS', () => {
  const workspace = ['vendor-workspace-id']
  test.each<[host: string, status: number, facts: TokenFacts, headers: string[], cause: string, hint: string]>([
    [
      'aws-external-vendor.eu-central-1.api.aws',
      401,
      bedrock,
      [],
      'the key is for bedrock, and this gateway belongs to aws-external-vendor',
      'have the helper make keys for it: --service aws-external-vendor',
    ],
    [
      'bedrock-runtime.us-east-1.amazonaws.com',
      403,
      bedrock,
      [],
      'the key is signed for eu-central-1, and this gateway is in us-east-1',
      "set the helper's region: --region us-east-1",
    ],
    [
      'aws-external-vendor.eu-central-1.api.aws',
      400,
      externalKey,
      [],
      'the header vendor-workspace-id is missing, which aws-external-vendor needs with every request',
      'name the workspace to the helper: --workspace',
    ],
    [
      'bedrock-mantle.eu-central-1.api.aws',
      403,
      bedrock,
      [],
      'the AWS identity of the token is not allowed to do this',
      'allow it bedrock:CallWithBearerToken, bedrock-mantle:CallWithBearerToken and bedrock-mantle:CreateInference',
    ],
    [
      'aws-external-vendor.eu-central-1.api.aws',
      403,
      externalKey,
      workspace,
      'the AWS identity of the token is not allowed to do this',
      'allow it aws-external-vendor:CallWithBearerToken on *, aws-external-vendor:CreateInference on the workspace, and sts:GetWebIdentityToken through the service; the account must also issue identity tokens: aws iam enable-outbound-web-identity-federation',
    ],
  ])(
    'is explained by its service and its region at %s, with status %i',
    (host, status, facts, headerNames, cause, hint) => {
      const answer = { status, text: '', isMessage: false, headers: new Headers() }
      const gateway = findKeyGateway(host)
      const examined = { answer, facts, authScheme: 'bearer', gateway, headerNames, now, stated } as const
      expect(explainAnswer(examined)).toEqual({ outcome: 'bad', cause, hint })
    },
  )
})
