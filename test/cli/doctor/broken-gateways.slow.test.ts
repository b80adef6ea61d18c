import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { startFront } from '../../stand-ins/front/front.ts'
import { startRotatingIssuer } from '../../stand-ins/issuer/rotating-issuer.ts'
import { type ProxyParts, startForwardProxy } from '../../stand-ins/proxy/forward-proxy.ts'
import { createAuthority, inHours, type Subject } from '../../stand-ins/tls/certificate.ts'
import { startServer } from '../start-server.ts'
import { type Ending, examine, message, refusal, type SetUp } from './broken-stage.ts'

const html = (body: string) => ({ headers: { 'content-type': 'text/html' }, body })
const nginx = (title: string) =>
  html(
    `<html><head><title>${title}</title></head><body><center><h1>${title}</h1></center><hr><center>nginx/1.27.0</center></body></html>`,
  )
const inSeconds = (sec: number) => ({ date: () => new Date(Date.now() + sec * 1000).toUTCString() })

const fails = (cause: string, hint: string): Ending => ({
  first: `A turn fails: ${cause}`,
  hint,
  verdict: 'A turn fails.',
  status: 1,
})
const notSent = (cause: string): Ending => ({
  first: `No turn was sent: ${cause}`,
  hint: "correct the document first; see how a client applies it: gatepass config check --here 'OWN/document.json'",
  verdict: 'No turn was sent.',
  status: 1,
})
const succeeds: Ending = {
  first: 'A turn succeeds: the gateway answered it',
  hint: undefined,
  verdict: 'A turn succeeds.',
  status: 0,
}

const outage = (what = 'the status and the time of the request') =>
  `nothing to change here: try again later; if it stays so, give the gateway's operators ${what}`
const otherForm = 'the gateway asks for a credential in another form; this one was sent as bearer'
const unknownModel =
  'have the gateway\'s operators map the model "default" to one of theirs, or try a turn in the client itself, with a model that it offers'
const address = 'check that baseUrl followed by /v1/messages is the address of the API'
const setClock = 'set the clock of this machine'
const upstream =
  "nothing to change here: have the gateway's operators look at the AWS credentials with which it calls AWS (ExpiredToken)"
const checkHelper = 'see which rule its output breaks: gatepass check-helper PROGRAM'
const byHand =
  "check that the interpreter in its first line exists, and run it with the PATH that a client has: env -i PATH=/usr/bin:/bin 'OWN/helper'"
const followIt = 'follow its message; if a person has to sign in first, sign in and try again'

type Row = readonly [what: string, setUp: SetUp, ending: Ending]

const ofTheGateway: readonly Row[] = [
  ['nothing', {}, succeeds],
  [
    'a header that the gateway requires',
    { answer: { status: 400, body: refusal('invalid_request_error', 'missing required header: x-tenant') } },
    fails(
      'the gateway refuses the request (HTTP 400); it says: missing required header: x-tenant',
      'set the header in inference.customHeaders of the document, or have the helper print it: --header "Name: value"',
    ),
  ],
  [
    'a request that is refused',
    { answer: { status: 400, body: refusal('invalid_request_error', 'max_tokens is too small') } },
    fails(
      'the gateway refuses the request (HTTP 400); it says: max_tokens is too small',
      'compare what it says with inference.baseUrl and inference.customHeaders, where headers are configured (a helper adds some with --header "Name: value"); otherwise give its operators the status and the time of the request',
    ),
  ],
  [
    'a model that is not there',
    { answer: { status: 404, body: refusal('not_found_error', 'model: default') } },
    fails(
      'the gateway does not take the model "default", for which doctor asks; it says: model: default',
      unknownModel,
    ),
  ],
  [
    'a limit of requests',
    { answer: { status: 429, headers: { 'retry-after': '7' }, body: refusal('rate_limit_error', 'slow down') } },
    fails(
      'the gateway lets no more requests through for now (HTTP 429); it says: slow down',
      "try again after 7 s; if it stays so, ask the gateway's operators for the limit of this identity",
    ),
  ],
  [
    'a 401 without words',
    { answer: { status: 401 } },
    fails(
      'the gateway does not know this token: it is meant for another gateway, issuer or account, or was revoked',
      'ask the gateway\'s operators whom they trust; if they take keys, set authScheme to "x-api-key"',
    ),
  ],
  [
    'a 401 with a challenge for another form',
    { answer: { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } } },
    fails(otherForm, 'set authScheme to "x-api-key" and try again'),
  ],
  [
    'a 401 that asks for x-api-key',
    { answer: { status: 401, body: '{"message":"missing header x-api-key"}' } },
    fails(
      'the gateway asks for a credential in another form; this one was sent as bearer; it says: missing header x-api-key',
      'set authScheme to "x-api-key" and try again',
    ),
  ],
  [
    'a key upstream',
    { answer: { status: 401, body: refusal('authentication_error', 'invalid x-api-key') } },
    fails(
      "a key is not valid: either the token has another form than the gateway asks for (it was sent as bearer), or it is the gateway's own key upstream; it says: invalid x-api-key",
      'set authScheme to "x-api-key" and try again; if the answer stays the same, have the gateway\'s operators check the key with which the gateway calls its model provider',
    ),
  ],
  [
    'an invalid token',
    { answer: { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } } },
    fails(
      'the gateway says that the token is not valid, but not why; it is an opaque token, and many gateways take JWTs only',
      "ask the gateway's operators which kind they take, and choose a helper for that: gatepass choose",
    ),
  ],
  [
    'a verifier',
    {
      answer: {
        status: 401,
        headers: { 'gatepass-refusal': 'audience' },
        body: refusal('authentication_error', 'the token is for another audience'),
      },
    },
    fails(
      'the token is for another audience than this gateway',
      'ask for a token for the name that the gateway expects: by --audience, or by the scopes or the resource of the gateway',
    ),
  ],
  [
    'a role',
    { answer: { status: 403, body: refusal('permission_error', 'no access') } },
    fails(
      'the gateway knows the token, but it may not do this: a role, a model or a workspace is missing; it says: no access',
      "ask the gateway's operators what this identity may do",
    ),
  ],
  [
    'a firewall',
    { answer: { status: 403, ...html('<html><title>Blocked</title></html>') } },
    fails(
      'an HTML page came back; something between this machine and the gateway answered; it says: Blocked',
      'check for a proxy or a firewall in between',
    ),
  ],
  [
    'an nginx 403',
    { answer: { status: 403, ...nginx('403 Forbidden') } },
    fails(
      'nginx itself does not let the request pass, and gives no reason; it says: 403 Forbidden',
      "give the gateway's operators the time of the request: the log of nginx, or of its verifier, has the reason",
    ),
  ],
  [
    'a scope',
    { answer: { status: 403, headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="infer"' } } },
    fails(
      'the gateway accepts the token as genuine, but a claim or scope that it requires is missing; it asks for the scope "infer"',
      'ask for that scope: scopes, in the helper or the document',
    ),
  ],
  [
    'AWS credentials upstream',
    {
      answer: {
        status: 403,
        body: refusal(
          'permission_error',
          'BedrockException: ExpiredTokenException: The security token included in the request is expired',
        ),
      },
    },
    fails(
      'the AWS credentials behind the gateway have expired; it says: BedrockException: ExpiredTokenException: The security token included in the request is expired',
      upstream,
    ),
  ],
  [
    'AWS credentials upstream, as 500',
    {
      answer: {
        status: 500,
        body: '{"error":{"message":"litellm.APIConnectionError: An error occurred (ExpiredTokenException) when calling the InvokeModel operation: The security token included in the request is expired"}}',
      },
    },
    fails(
      'the AWS credentials behind the gateway have expired; it says: litellm.APIConnectionError: An error occurred (ExpiredTokenException) when calling the InvokeModel operation: The security token included in the request is expired',
      upstream,
    ),
  ],
  [
    'AWS rights upstream',
    {
      answer: {
        status: 403,
        body: '{"message":"User: arn:aws:sts::111122223333:assumed-role/gw/i is not authorized to perform: bedrock:InvokeModel on resource: arn:aws:bedrock:eu-central-1::foundation-model/m because no identity-based policy allows the bedrock:InvokeModel action"}',
      },
    },
    fails(
      'the AWS identity behind the gateway is not allowed bedrock:InvokeModel; it says: User: arn:aws:sts::111122223333:assumed-role/gw/i is not authorized to perform: bedrock:InvokeModel on resource: arn:aws:bedrock:eu-central-1::foundation-model/m because no identity-based policy allows the bedrock:InvokeModel action',
      "have the gateway's operators allow it bedrock:InvokeModel",
    ),
  ],
  [
    'a wrong path',
    { answer: { status: 404, body: '{"error":"not found"}' } },
    fails('there is no Messages API at this address (HTTP 404), or no model "default"', address),
  ],
  [
    'a wrong path, as a page',
    { answer: { status: 404, ...nginx('404 Not Found') } },
    fails(
      'there is no Messages API at this address (HTTP 404), or no model "default"; it says: 404 Not Found',
      address,
    ),
  ],
  [
    'a defect',
    { answer: { status: 500, headers: { 'request-id': 'req_1' }, body: refusal('api_error', 'internal error') } },
    fails('the gateway failed (HTTP 500); it says: internal error', outage('the request id')),
  ],
  [
    'a 502',
    { answer: { status: 502, ...nginx('502 Bad Gateway') } },
    fails("the gateway's backend is down (HTTP 502); it says: 502 Bad Gateway", outage()),
  ],
  [
    'a 503',
    { answer: { status: 503, body: 'upstream connect error' } },
    fails(
      'the gateway, or its backend, is not available for now (HTTP 503); it says: upstream connect error',
      outage(),
    ),
  ],
  [
    'a 504',
    { answer: { status: 504, ...nginx('504 Gateway Time-out') } },
    fails("the gateway's backend gave no answer in time (HTTP 504); it says: 504 Gateway Time-out", outage()),
  ],
  [
    'a sign-in in front',
    { answer: { status: 302, headers: { location: 'https://login.example.com/authorize?client_id=x' } } },
    fails(
      'the gateway redirects instead of answering (HTTP 302): to https://login.example.com/authorize?…',
      "set baseUrl to the address of the API itself; if it is that already, have the gateway's operators take the sign-in page away from the API",
    ),
  ],
  [
    'a moved API',
    { answer: { status: 308, headers: { location: '/api/v1/messages' } } },
    fails(
      'the gateway redirects instead of answering (HTTP 308): to http://OWN/api/v1/messages',
      'set baseUrl to http://OWN/api',
    ),
  ],
  [
    'a page with 200',
    { answer: { status: 200, ...html('<!doctype html><title>Welcome</title>') } },
    fails(
      'a page came back instead of a message (HTTP 200), as from a sign-in; it says: Welcome',
      'set baseUrl to the address of the API itself',
    ),
  ],
  [
    'an error with 200',
    { answer: { status: 200, body: refusal('overloaded_error', 'overloaded') } },
    fails(
      'the gateway reports an error, with HTTP 200 instead of an error status; it says: overloaded',
      'nothing to change here: give its operators the status and the time of the request',
    ),
  ],
  [
    'other JSON',
    { answer: { status: 200, body: '{"status":"ok"}' } },
    fails('the answer holds no message; it says: {"status":"ok"}', address),
  ],
  ['an empty answer', { answer: { status: 200, body: '' } }, fails('the answer holds no message', address)],
  [
    'an error in the stream',
    {
      answer: {
        status: 200,
        headers: { 'content-type': 'text/event-stream' },
        body: 'data: {"type":"error","error":{"type":"overloaded_error","message":"overloaded"}}\n\n',
      },
    },
    fails('the gateway reported an error in the middle of its answer', "ask the gateway's operators"),
  ],
  [
    'http to an https port',
    { answer: { status: 400, ...nginx('400 The plain HTTP request was sent to HTTPS port') } },
    fails(
      'that port speaks https, but the request used http; it says: 400 The plain HTTP request was sent to HTTPS port',
      'write https:// into baseUrl',
    ),
  ],
  [
    'a clock behind, and a refused token',
    { answer: { status: 401, headers: inSeconds(600), body: refusal('authentication_error', 'invalid token') } },
    fails("this machine's clock is 10 min behind the gateway's; it says: invalid token", setClock),
  ],
  [
    'a clock ahead, and a refused token',
    { answer: { status: 401, headers: inSeconds(-7200), body: refusal('authentication_error', 'invalid token') } },
    fails("this machine's clock is 120 min ahead of the gateway's; it says: invalid token", setClock),
  ],
  [
    'a clock behind, and a turn that succeeds',
    { answer: { status: 200, headers: inSeconds(600), body: message } },
    succeeds,
  ],
  [
    'a clock behind, and a helper without a sign-in',
    { helper: 'echo "tool: the session has ended" >&2; exit 4', answer: { status: 404, headers: inSeconds(600) } },
    fails("this machine's clock is 10 min behind that of OWN", setClock),
  ],
  [
    'a clock ahead, and a helper whose token has ended',
    { helper: 'echo "tool: the ID token expired" >&2; exit 1', answer: { status: 404, headers: inSeconds(-7200) } },
    fails("this machine's clock is 120 min ahead of that of OWN", setClock),
  ],
  [
    'a clock behind, and a helper without its program',
    { helper: 'exit 127', answer: { status: 404, headers: inSeconds(600) } },
    fails('the helper could not be started, or found nothing to run (exit status 127, without a message)', byHand),
  ],
]

const ofTheHelper: readonly Row[] = [
  [
    'a helper that is not there',
    { credential: { command: '/nowhere/helper' } },
    notSent('inference.credential.command: there is no file /nowhere/helper on this machine'),
  ],
  [
    'a helper without permission to run',
    { mode: 0o644 },
    notSent('inference.credential.command: the file is not executable'),
  ],
  [
    'an interpreter that is not there',
    { interpreter: '#!/nowhere/python3' },
    fails(
      'the helper cannot be started (ENOENT)',
      "check that the file exists, is executable and names an interpreter that exists: ls -ld 'OWN/helper'",
    ),
  ],
  [
    'no interpreter',
    { interpreter: '\u0000\u0001', helper: '' },
    fails('the helper failed with exit status 127: OWN/helper: 1: \\u0001: not found', followIt),
  ],
  [
    'a program that is not found',
    { helper: 'exec tokengen' },
    fails('the helper failed with exit status 127: OWN/helper: 2: exec: tokengen: not found', followIt),
  ],
  [
    '127 without a word',
    { helper: 'exit 127' },
    fails('the helper could not be started, or found nothing to run (exit status 127, without a message)', byHand),
  ],
  [
    '126 without a word',
    { helper: 'exit 126' },
    fails(
      'the helper could not be started, or what it runs may not be executed (exit status 126, without a message)',
      byHand,
    ),
  ],
  [
    '1 without a word',
    { helper: 'exit 1' },
    fails(
      'the helper failed with exit status 1, and said nothing',
      "have it say on stderr why it fails; to see the steps of a shell script, run: sh -x 'OWN/helper'",
    ),
  ],
  [
    'words of its own',
    { helper: 'echo "cannot reach the vault" >&2; exit 6' },
    fails('the helper failed with exit status 6: cannot reach the vault', followIt),
  ],
  [
    'a sign-in that has ended',
    {
      helper:
        'echo "oidc-token: the sign-in ended" >&2; echo "oidc-token: hint: sign in: oidc-token sign-in" >&2; exit 4',
    },
    fails('the helper failed with exit status 4: oidc-token: the sign-in ended', 'sign in: oidc-token sign-in'),
  ],
  [
    'a kill',
    { helper: 'kill -KILL $$' },
    fails(
      'the helper was ended by SIGKILL',
      'find out what ended it, such as the system when memory was short, or its own watchdog',
    ),
  ],
  [
    'a hang',
    { helper: 'sleep 60', credential: { timeoutSec: 1 } },
    fails('the helper did not end within 1 s and was killed', 'find out what it waits for; nobody can answer it here'),
  ],
  [
    'a banner',
    { helper: 'echo "Welcome to Corp"; echo opaque-token' },
    fails('stdout is neither one line nor one JSON object', checkHelper),
  ],
  [
    'two tokens',
    { helper: 'echo opaque-1; echo opaque-2' },
    fails('stdout is neither one line nor one JSON object', checkHelper),
  ],
  ['nothing printed', { helper: 'exit 0' }, fails('stdout is empty although the exit status is 0', checkHelper)],
  [
    'an object without a token',
    { helper: 'echo \'{"access_token":"x"}\'' },
    fails('the JSON object has no "token"', checkHelper),
  ],
  [
    'AWS credentials',
    { helper: 'echo \'{"Version":1,"AccessKeyId":"AKIAIOSFODNN7EXAMPLE","SecretAccessKey":"x"}\'' },
    fails(
      'stdout is an AWS credential_process document, which has no "token"',
      'name a helper that prints {"token": "…"} instead of credentials for the AWS tools',
    ),
  ],
  [
    'a header that nobody may set',
    { helper: 'echo \'{"token":"opaque-token","headers":{"Cookie":"a"}}\'' },
    fails('a header cannot be sent: "Cookie" belongs to the client and cannot be set', checkHelper),
  ],
  [
    'a dash that HTTP does not carry',
    { helper: "printf 'opaque\\342\\200\\223token\\n'" },
    fails(
      'the token or a header holds characters that HTTP cannot carry',
      'have the helper print a token of visible ASCII characters',
    ),
  ],
  [
    'a token that has expired',
    { helper: 'echo "eyJhbGciOiJub25lIn0.$(printf \'{"exp":1}\' | base64 | tr -d =).x"', answer: { status: 401 } },
    fails('the token has expired', 'check whether the helper caches expired tokens'),
  ],
  [
    'a token that has expired, which the gateway takes',
    { helper: 'echo "eyJhbGciOiJub25lIn0.$(printf \'{"exp":1}\' | base64 | tr -d =).x"' },
    succeeds,
  ],
]

const ofTheDocument: readonly Row[] = [
  [
    'no command',
    { credential: { command: undefined } },
    notSent('inference.credential.command: macOS and Linux have no helper to run'),
  ],
  [
    'a relative command',
    { credential: { command: '~/helper' } },
    notSent('inference.credential.command: ~ is not expanded'),
  ],
  [
    'another kind',
    { credential: { kind: 'helper' } },
    notSent('inference.credential.kind: the client does not know this value'),
  ],
  ['no URL', { inference: { baseUrl: 'gateway' } }, notSent('inference.baseUrl: it is not a URL')],
  ['no baseUrl', { inference: { baseUrl: undefined } }, notSent('inference.baseUrl: the gateway has no address')],
  [
    'http to another machine',
    { inference: { baseUrl: 'http://gateway.example.com' } },
    fails('baseUrl would carry the token unencrypted to gateway.example.com', 'use https://'),
  ],
  [
    'no provider',
    { inference: { provider: undefined } },
    notSent('inference.provider: it is not set, so no gateway setting has an effect'),
  ],
  [
    'a loopback issuer',
    { credential: { kind: 'external-idp', command: undefined, oidc: { clientId: 'c', issuer: 'http://127.0.0.1:9' } } },
    fails('127.0.0.1:9 cannot be reached (ECONNREFUSED)', 'check what runs at 127.0.0.1:9'),
  ],
  [
    'an http issuer elsewhere',
    {
      credential: {
        kind: 'external-idp',
        command: undefined,
        oidc: { clientId: 'c', issuer: 'http://id.example.com' },
      },
    },
    notSent('inference.credential.oidc.issuer: a sign-in needs https'),
  ],
  [
    'an issuer nobody runs',
    {
      credential: { kind: 'external-idp', command: undefined, oidc: { clientId: 'c', issuer: 'https://127.0.0.1:9' } },
    },
    fails('127.0.0.1:9 cannot be reached (ECONNREFUSED)', 'check what runs at 127.0.0.1:9'),
  ],
]

describe('doctor gives one diagnosis of a set-up that is broken by', () => {
  test.each([...ofTheGateway, ...ofTheHelper, ...ofTheDocument])('%s', async (_, setUp, ending) => {
    expect(await examine(setUp)).toEqual(ending)
  })
})

const host = 'api.gatepass.invalid'
const trustHint =
  "if that is your organization's certificate authority, name the file with its certificate in the option ca (GATEPASS_CA, or the machine's file), AWS_CA_BUNDLE or NODE_EXTRA_CA_CERTS"

/** Starts a gateway over TLS that answers every turn, and whose authority this machine trusts. */
async function startTls(subject: Partial<Subject> = {}) {
  const authority = createAuthority('Example Corp Root CA')
  const behind = await startServer((_request, response) => response.end(message))
  const front = await startFront(behind, authority.issue({ names: [host, '127.0.0.1'], ...subject }))
  onTestFinished(() => front[Symbol.asyncDispose]())
  const ca = join(await temporaryDirectory(), 'corp.pem')
  await writeFile(ca, authority.cert)
  return { url: front.url, port: front.port, trusted: { NODE_EXTRA_CA_CERTS: ca } }
}

async function startProxy(parts: Partial<ProxyParts> = {}) {
  const proxy = await startForwardProxy({ routes: {}, ...parts })
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  return { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` }
}

/** The differences between runs. */
const clean = ({ first, hint, ...ending }: Ending): Ending => ({
  ...ending,
  first: first
    ?.replaceAll(/127\.0\.0\.1:\d+/g, 'PROXY')
    .replace(/\d{4}-\d\d-\S+Z/, 'DATE')
    .replace('EAI_AGAIN', 'ENOTFOUND'), // of a machine without a name service
  hint: hint?.replaceAll(/127\.0\.0\.1:\d+/g, 'PROXY'),
})

describe('doctor gives one diagnosis of a network that is broken by', () => {
  test.each<[what: string, start: () => Promise<SetUp>, ending: Ending]>([
    [
      'nothing',
      async () => {
        const { url, trusted } = await startTls()
        return { baseUrl: url, env: trusted }
      },
      succeeds,
    ],
    [
      'a port where nobody listens',
      async () => ({ baseUrl: 'http://127.0.0.1:9' }),
      fails('OWN cannot be reached (ECONNREFUSED)', 'check what runs at OWN'),
    ],
    [
      'a name that does not exist',
      async () => ({ baseUrl: `https://${host}` }),
      fails('OWN cannot be reached (ENOTFOUND)', 'check the name in baseUrl, the name service and the VPN'),
    ],
    [
      'a certificate for another host',
      async () => {
        const { url, trusted } = await startTls({ names: ['other.example.com'] })
        return { baseUrl: url, env: trusted }
      },
      fails(
        'OWN presents a certificate for DNS:other.example.com (ERR_TLS_CERT_ALTNAME_INVALID)',
        'find out what answers in place of OWN, or correct the endpoint',
      ),
    ],
    [
      'a certificate that has expired',
      async () => {
        const { url, trusted } = await startTls({ from: inHours(-48), until: inHours(-24) })
        return { baseUrl: url, env: trusted }
      },
      fails(
        'OWN presents a certificate that expired at DATE (CERT_HAS_EXPIRED)',
        'have it renewed; or set the clock of this machine',
      ),
    ],
    [
      'a certificate of the future',
      async () => {
        const { url, trusted } = await startTls({ from: inHours(24) })
        return { baseUrl: url, env: trusted }
      },
      fails(
        'OWN presents a certificate that is not valid before DATE (CERT_NOT_YET_VALID)',
        'set the clock of this machine',
      ),
    ],
    [
      'an authority that nobody trusts',
      async () => ({ baseUrl: (await startTls()).url }),
      fails(
        'OWN presents a certificate issued by "Example Corp Root CA", which this machine does not trust (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
        trustHint,
      ),
    ],
    [
      'https to a port that speaks http',
      async () => ({ baseUrl: (await startServer((_, response) => response.end())).replace('http:', 'https:') }),
      fails('OWN speaks http on that port, and not https', 'write http://OWN: it does not speak TLS'),
    ],
    [
      'https to a port that speaks http, beyond this machine',
      async () => {
        const port = Number(new URL(await startServer((_, response) => response.end())).port)
        return { baseUrl: `https://${host}`, env: await startProxy({ routes: { [`${host}:443`]: port } }) }
      },
      fails(
        'OWN speaks http on that port, and not https',
        'name the port that speaks https; over http the token would be sent unencrypted',
      ),
    ],
    [
      'http to a port that speaks https',
      async () => ({ baseUrl: (await startTls()).url.replace('https:', 'http:') }),
      fails(
        'OWN cannot be reached (ECONNRESET)',
        'check what runs at OWN; if that port speaks https, write https:// into baseUrl',
      ),
    ],
    [
      'a proxy that nobody runs',
      async () => ({ baseUrl: `https://${host}`, env: { HTTPS_PROXY: 'http://127.0.0.1:9' } }),
      fails(
        'the proxy http://PROXY cannot be reached (ECONNREFUSED)',
        "check the network, the VPN and the proxy's address (variable HTTPS_PROXY)",
      ),
    ],
    [
      'a proxy that does not know the gateway',
      async () => ({ baseUrl: `https://${host}`, env: await startProxy() }),
      fails(
        'the proxy http://PROXY cannot reach OWN:443 (HTTP 502)',
        "try again in a moment; if it stays so, check the host's name, then have the proxy's operators look for the cause",
      ),
    ],
    [
      'a proxy that asks for a password',
      async () => ({ baseUrl: `https://${host}`, env: await startProxy({ credentials: 'dana:canary' }) }),
      fails(
        'the proxy http://PROXY asks for a user and password (HTTP 407)',
        'write them into its URL in a file or variable: http://USER:PASSWORD@PROXY',
      ),
    ],
    [
      'a proxy that forbids it',
      async () => ({ baseUrl: `https://${host}`, env: await startProxy({ answers: { status: 403 } }) }),
      fails(
        'the proxy http://PROXY refuses tunnels to OWN:443 (HTTP 403)',
        'have OWN:443 allowed there, or add its host to NO_PROXY if it can be reached without a proxy',
      ),
    ],
    [
      'a proxy of another kind',
      async () => ({ baseUrl: `https://${host}`, env: { HTTPS_PROXY: 'socks5://127.0.0.1:9' } }),
      fails(
        'the proxy (variable HTTPS_PROXY) is a SOCKS proxy, which cannot be used',
        'set it to an HTTP proxy, such as http://proxy.example:3128',
      ),
    ],
    [
      'a file of authorities that is not there',
      async () => ({ baseUrl: (await startTls()).url, env: { NODE_EXTRA_CA_CERTS: '/nowhere/corp.pem' } }),
      fails(
        'the file of certificate authorities /nowhere/corp.pem (variable NODE_EXTRA_CA_CERTS) does not exist',
        'correct the path, or put the file there',
      ),
    ],
    [
      'a connection that is cut',
      async () => ({ baseUrl: await startServer((_, response) => response.destroy()) }),
      fails(
        'OWN cannot be reached (ECONNRESET)',
        'check what runs at OWN; if that port speaks https, write https:// into baseUrl',
      ),
    ],
    [
      'half an answer',
      async () => ({
        baseUrl: await startServer((_, response) => {
          response.writeHead(200, { 'content-length': '100' }).write('{')
          setTimeout(() => response.destroy(), 50)
        }),
      }),
      fails(
        'OWN cannot be reached (ECONNRESET)',
        'check what runs at OWN; if that port speaks https, write https:// into baseUrl',
      ),
    ],
  ])('%s', async (_, start, ending) => {
    expect(clean(await examine(await start()))).toEqual(ending)
  })
})

test('a provider on this machine is tried over http, as a helper does', async () => {
  const issuer = await startRotatingIssuer()
  onTestFinished(() => issuer[Symbol.asyncDispose]())
  const oidc = { clientId: 'desktop', issuer: issuer.issuer }
  const credential = { kind: 'external-idp', command: undefined, oidc }
  expect(await examine({ credential, flags: [] })).toEqual({
    first: 'No turn was sent: skipped: standard input is not a terminal, and without --yes no browser opens',
    hint: 'pass --yes, and sign in in the browser that opens',
    verdict: 'No turn was sent.',
    status: 1,
  })
  expect(issuer.asked).toEqual(['/.well-known/openid-configuration', '/'])
})
