import type { Endpoint } from './lies.ts'

const paths: Readonly<Record<string, Endpoint>> = {
  'GET /.well-known/openid-configuration': 'discovery',
  'GET /.well-known/openid-configuration/': 'discovery',
  'GET /keys': 'keys',
  'POST /push': 'push',
  'GET /authorize': 'authorize',
  'POST /device_authorization': 'device',
  'POST /revoke': 'revoke',
}

const grantTypes: Readonly<Record<string, Endpoint>> = {
  authorization_code: 'token',
  refresh_token: 'refresh',
  'urn:ietf:params:oauth:grant-type:device_code': 'poll',
}

/** Finds the endpoint that a request is for; `undefined` for any that nobody answers. */
export function findEndpoint(line: string, parameters: URLSearchParams): Endpoint | undefined {
  return line === 'POST /token' ? grantTypes[parameters.get('grant_type') ?? ''] : paths[line]
}
