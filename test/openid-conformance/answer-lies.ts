import { again, intercepted, lost, refused, type ToldLies, unavailable, unset } from './told-lie.ts'

/** Lies in the answer that the browser brings back (RFC 6749, section 4.1.2; RFC 9207). */
export const callbackLies = {
  'iss of the callback: another': {
    lies: { members: { authorize: { iss: 'https://evil.example' } } },
    says: refused('the browser did not come back from PROVIDER but from another provider (iss)', again),
    asked: 'discovery authorize keys',
  },
  'iss of the callback: missing although it is announced': {
    lies: { members: { authorize: { iss: undefined } } },
    says: refused('the browser came back from PROVIDER without the issuer that the provider promises (iss)'),
    asked: 'discovery authorize keys',
  },
  'iss of the callback: not announced, and absent': {
    lies: {
      members: {
        authorize: { iss: undefined },
        discovery: { authorization_response_iss_parameter_supported: undefined },
      },
    },
  },
  'iss of the callback: not announced, and another': {
    lies: {
      members: {
        authorize: { iss: 'https://evil.example' },
        discovery: { authorization_response_iss_parameter_supported: undefined },
      },
    },
    says: refused('the browser did not come back from PROVIDER but from another provider (iss)', again),
    asked: 'discovery authorize keys',
  },
  'a code that the provider does not know': {
    lies: { members: { authorize: { code: 'canary-code' } } },
    says: refused(
      'the sign-in to PROVIDER cannot be completed: its code has expired or was used (invalid_grant)',
      'start again, which begins a new sign-in',
    ),
  },
  'an error': {
    lies: { members: { authorize: { code: undefined, error: 'server_error', error_description: 'canary' } } },
    says: unavailable(
      'the sign-in to PROVIDER cannot be completed now: the provider reports an error of its own (server_error)',
      'try again in a moment',
    ),
    asked: 'discovery authorize',
  },
  'an error in a form': {
    lies: { members: { authorize: { code: undefined, error: 'login_required' } } },
    settings: { responseMode: 'form_post' },
    says: refused(
      'the sign-in to PROVIDER needs the person (login_required)',
      'start again, which begins a new sign-in',
    ),
    asked: 'discovery authorize',
  },
  'a code in a form': { lies: {}, settings: { responseMode: 'form_post' } },
  'an error of another provider': {
    lies: { members: { authorize: { code: undefined, error: 'access_denied', iss: 'https://evil.example' } } },
    says: refused('the browser did not come back from PROVIDER but from another provider (iss)', again),
    asked: 'discovery authorize',
  },
  'a token beside the code': {
    lies: { members: { authorize: { id_token: 'canary', access_token: 'canary' } } },
    says: refused('the browser came back from PROVIDER with tokens that nobody asked for', again),
    asked: 'discovery authorize keys',
  },
  'a response as JWT, which nobody asked for': {
    lies: { members: { authorize: { response: 'a.b.c' } } },
    says: refused('the browser came back from PROVIDER with tokens that nobody asked for', again),
    asked: 'discovery authorize keys',
  },
} satisfies ToldLies

/** Lies of the token endpoint (RFC 6749, section 5). */
export const tokenLies = {
  'a web page': {
    lies: { answers: { token: 'html' } },
    says: lost('PROVIDER answered with a web page (HTTP 200)'),
  },
  'a web page that says it is JSON': {
    lies: { answers: { token: { body: '<!doctype html>' } } },
    says: lost('the answer of PROVIDER is not the answer of an OpenID provider'),
  },
  nothing: {
    lies: { answers: { token: { body: '' } } },
    says: lost('the answer of PROVIDER is not the answer of an OpenID provider'),
  },
  'a list': {
    lies: { answers: { token: { body: [] } } },
    says: refused('the answer of PROVIDER is not a JSON object'),
  },
  'HTTP 200 with an error': {
    lies: { answers: { token: { body: { error: 'invalid_grant', error_description: 'canary' } } } },
    says: refused(
      'the sign-in to PROVIDER cannot be completed: its code has expired or was used (invalid_grant); it says: canary',
      'start again, which begins a new sign-in',
    ),
  },
  'an error that repeats the request': {
    lies: { answers: { token: { status: 400, body: { error: 'invalid_request', error_description: 'x\u001b[2Jy' } } } },
    says: unset(
      'the sign-in to PROVIDER was refused as not valid (invalid_request); it says: x\\u001b[2Jy',
      'tell your administrator: compare the client ID, the redirect URI and the parameters with the registration of the client',
    ),
  },
  'an error without a name': {
    lies: { answers: { token: { status: 400, body: {} } } },
    says: refused(
      'the sign-in to PROVIDER was refused by the provider, without a reason (HTTP 400)',
      'start again, which begins a new sign-in; if it fails again, report this to whoever runs the provider',
    ),
  },
  'no access token': {
    lies: { members: { token: { access_token: undefined } } },
    says: refused('the answer of PROVIDER lacks access_token, or has it in a wrong form'),
  },
  'no access token, which nobody needs': {
    lies: { members: { token: { access_token: 7 } } },
    says: refused('the answer of PROVIDER lacks access_token, or has it in a wrong form'),
  },
  'no token_type': {
    lies: { members: { token: { token_type: undefined } } },
    says: refused('the answer of PROVIDER lacks token_type, or has it in a wrong form'),
  },
  'token_type DPoP for an ID token': { lies: { members: { token: { token_type: 'DPoP' } } } },
  'token_type DPoP for an access token': {
    lies: { members: { token: { token_type: 'DPoP' } } },
    settings: { bearerTokenType: 'access_token', scopes: 'gateway' },
    says: refused(
      'PROVIDER issued an access token that is bound to a key, not a bearer token',
      'ask whoever runs the provider to issue bearer tokens to this client',
    ),
    asked: 'discovery authorize token',
  },
  'token_type mac': {
    lies: { members: { token: { token_type: 'mac' } } },
    says: refused('the answer of PROVIDER names an unknown token_type'),
  },
  'expires_in: a word': {
    lies: { members: { token: { expires_in: 'soon' } } },
    says: refused('the answer of PROVIDER lacks expires_in, or has it in a wrong form'),
  },
  'expires_in: less than nothing': {
    lies: { members: { token: { expires_in: -1 } } },
    says: refused('the answer of PROVIDER lacks expires_in, or has it in a wrong form'),
  },
  'scope: another': { lies: { members: { token: { scope: 'openid' } } } },
  'scope: a list': {
    lies: { members: { token: { scope: ['openid'] } } },
    says: refused('the answer of PROVIDER lacks scope, or has it in a wrong form'),
  },
  'scope: without that of the gateway': {
    lies: { members: { token: { scope: 'profile' } } },
    settings: { bearerTokenType: 'access_token', scopes: 'gateway' },
    asked: 'discovery authorize token',
  },
  'a redirect to elsewhere': {
    lies: { answers: { token: 'elsewhere' } },
    says: lost('PROVIDER answered with a redirect, which is not followed (HTTP 307)'),
  },
  'a body without an end': {
    lies: { answers: { token: 'huge' } },
    says: lost('PROVIDER answered with more than 1024 KiB'),
  },
  'refresh_token: no text': {
    lies: { members: { token: { refresh_token: 7 } } },
    says: refused('the answer of PROVIDER lacks refresh_token, or has it in a wrong form'),
  },
  'HTTP 201': {
    lies: { answers: { token: { status: 201, body: { access_token: 'canary', token_type: 'bearer' } } } },
    says: lost('the answer of PROVIDER is not the answer of an OpenID provider'),
  },
} satisfies ToldLies

/** Lies of discovery and of the keys (OpenID Connect Discovery 1.0, sections 3 and 4). */
export const metadataLies = {
  'issuer: another': {
    lies: { members: { discovery: { issuer: 'https://evil.example' } } },
    says: unset(
      'PROVIDER is the issuer https://evil.example, not http://PROVIDER',
      "set issuer to https://evil.example if that is your organization's; otherwise report this to whoever runs the provider",
    ),
    asked: 'discovery',
  },
  'issuer: with a slash more': {
    lies: { members: { discovery: { issuer: 'ISSUER/' } } },
    says: unset(
      'PROVIDER is the issuer http://PROVIDER/, not http://PROVIDER',
      'set issuer to http://PROVIDER/, to the letter: the slash at the end counts',
    ),
    asked: 'discovery',
  },
  'issuer: missing': {
    lies: { members: { discovery: { issuer: undefined } } },
    says: unset(
      'PROVIDER does not say which issuer it is',
      'correct issuer, or report this to whoever runs the provider',
    ),
    asked: 'discovery',
  },
  'discovery: a web page': {
    lies: { answers: { discovery: 'html' } },
    says: unavailable('PROVIDER answered with a web page (HTTP 200)', intercepted),
    asked: 'discovery',
  },
  'discovery: not there': {
    lies: { answers: { discovery: { status: 404, body: 'not found' } } },
    says: unset(
      'PROVIDER has no description of an OpenID provider at http://PROVIDER/.well-known/openid-configuration (HTTP 404)',
      'correct issuer, or set the authorization URL and the token URL in its place',
    ),
    asked: 'discovery',
  },
  'discovery: a redirect': {
    lies: { answers: { discovery: 'elsewhere' } },
    says: unavailable(
      'PROVIDER redirects the request for its description to http://ELSEWHERE/, which is not followed (HTTP 307)',
      intercepted,
    ),
    asked: 'discovery',
  },
  'discovery: without an end': {
    lies: { answers: { discovery: 'huge' } },
    says: unavailable('PROVIDER answered with more than 1024 KiB', 'find out what answers in place of PROVIDER'),
    asked: 'discovery',
  },
  'discovery: no JSON': {
    lies: { answers: { discovery: { body: '{"issuer"' } } },
    says: unset(
      'PROVIDER has no description of an OpenID provider at http://PROVIDER/.well-known/openid-configuration (HTTP 200)',
      'correct issuer, or set the authorization URL and the token URL in its place',
    ),
    asked: 'discovery',
  },
  'authorization_endpoint: missing': {
    lies: { members: { discovery: { authorization_endpoint: undefined } } },
    says: refused('the description of PROVIDER has no usable "authorization_endpoint"'),
    asked: 'discovery',
  },
  'authorization_endpoint: javascript': {
    lies: { members: { discovery: { authorization_endpoint: 'javascript:alert(1)' } } },
    says: refused('the description of PROVIDER names no https address as its authorization_endpoint'),
    asked: 'discovery',
  },
  'authorization_endpoint: a file': {
    lies: { members: { discovery: { authorization_endpoint: 'file:///etc/passwd' } } },
    says: refused('the description of PROVIDER names no https address as its authorization_endpoint'),
    asked: 'discovery',
  },
  'authorization_endpoint: plain http elsewhere': {
    lies: { members: { discovery: { authorization_endpoint: 'http://evil.example/authorize' } } },
    says: refused('the description of PROVIDER names no https address as its authorization_endpoint'),
    asked: 'discovery',
  },
  'token_endpoint: missing': {
    lies: { members: { discovery: { token_endpoint: undefined } } },
    says: refused('the description of PROVIDER lacks token_endpoint'),
    asked: 'discovery',
  },
  'token_endpoint: plain http elsewhere': {
    lies: { members: { discovery: { token_endpoint: 'http://evil.example/token' } } },
    says: refused('the description of PROVIDER names no https address as its token_endpoint'),
    asked: 'discovery',
  },
  'jwks_uri: missing': {
    lies: { members: { discovery: { jwks_uri: undefined } } },
    says: refused('the description of PROVIDER lacks jwks_uri'),
    asked: 'discovery',
  },
  'jwks_uri: plain http elsewhere': {
    lies: { members: { discovery: { jwks_uri: 'http://evil.example/keys' } } },
    says: refused('the description of PROVIDER names no https address as its jwks_uri'),
    asked: 'discovery',
  },
  'keys: a web page': {
    lies: { answers: { keys: 'html' } },
    says: lost('the list of keys of PROVIDER answered with a web page (HTTP 200)'),
    asked: 'discovery authorize keys',
  },
  'keys: without an end': {
    lies: { answers: { keys: 'huge' } },
    says: lost('PROVIDER answered with more than 1024 KiB'),
    asked: 'discovery authorize keys',
  },
  'keys: broken': {
    lies: { answers: { keys: { body: { keys: 'canary' } } } },
    says: lost('the list of keys of PROVIDER cannot be read (HTTP 200)'),
    asked: 'discovery authorize keys',
  },
  'keys: none': {
    lies: { keys: { published: [] } },
    says: refused(
      'the ID token of PROVIDER is signed with a key that is not, or not clearly, among its published keys',
    ),
    asked: 'discovery authorize keys token keys',
  },
  'keys: not there': {
    lies: { answers: { keys: { status: 404, body: 'not found' } } },
    says: lost('the list of keys of PROVIDER cannot be read (HTTP 404)'),
    asked: 'discovery authorize keys',
  },
  'keys: a redirect': {
    lies: { answers: { keys: 'elsewhere' } },
    says: lost('the list of keys of PROVIDER answered with a redirect, which is not followed (HTTP 307)'),
    asked: 'discovery authorize keys',
  },
  'code_challenge_methods: plain only': {
    lies: { members: { discovery: { code_challenge_methods_supported: ['plain'] } } },
  },
  'PAR: required, and refused': {
    lies: {
      members: { discovery: { require_pushed_authorization_requests: true } },
      answers: { push: { status: 400, body: { error: 'invalid_request' } } },
    },
    says: unset(
      'the sign-in to PROVIDER was refused as not valid (invalid_request)',
      'tell your administrator: compare the client ID, the redirect URI and the parameters with the registration of the client',
    ),
    asked: 'discovery push',
  },
  'PAR: required, with a request_uri that is no text': {
    lies: {
      members: { discovery: { require_pushed_authorization_requests: true }, push: { request_uri: 7 } },
    },
    says: refused('the answer of PROVIDER lacks request_uri, or has it in a wrong form'),
    asked: 'discovery push',
  },
  'PAR: required': {
    lies: { members: { discovery: { require_pushed_authorization_requests: true } } },
    asked: 'discovery push authorize keys token',
  },
  'PAR: a redirect': {
    lies: {
      members: { discovery: { require_pushed_authorization_requests: true } },
      answers: { push: 'elsewhere' },
    },
    says: unavailable('PROVIDER answered with a redirect, which is not followed (HTTP 307)', intercepted),
    asked: 'discovery push',
  },
} satisfies ToldLies
