import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DOMParser, type ErrorHandlerFunction } from '@xmldom/xmldom'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '../../pkg-scripts/tree.ts'
import { recipes } from '../../src/cli/gateway/verifier/add-verifier.ts'
import { chooseListing, readListing } from './page.ts'
import { readRecipe, shownTerms } from './recipe.ts'

test.each([
  ['envoy', 'With the verifier', '`http_filters` and `clusters`', ['http_filters', 'clusters']],
  ['envoy', 'With the verifier, over gRPC', '`http_filters` and `clusters`', ['http_filters', 'clusters']],
  ['envoy', 'With jwt_authn alone', '`http_filters`', ['http_filters']],
  ['traefik', '', '`/etc/traefik/dynamic/gateway.yaml`', ['http']],
  ['kong', 'With the verifier', '`kong.yml`', ['_format_version', 'services']],
  ['litellm', '', '`config.yaml`', ['general_settings']],
])('the YAML of %s, "%s", is well-formed', (page, heading, title, keys) => {
  const path = title.split('`')[1] ?? ''
  expect(Object.keys(parse(readListing({ page, heading, path }), { strict: true, uniqueKeys: true }))).toEqual(keys)
})

test.each([
  ['With the verifier', 'policies'],
  ['With validate-jwt alone', 'inbound'],
])('the XML of Azure API Management, "%s", is well-formed', (heading, element) => {
  const onError: ErrorHandlerFunction = (level, message) => {
    throw new Error(`${level}: ${message}`)
  }
  const text = readListing({ page: 'azure-api-management', heading, path: 'policy.xml' })
  expect(new DOMParser({ onError }).parseFromString(text, 'text/xml').documentElement?.tagName).toBe(element)
})

test('the claims for Portkey are JSON', () => {
  const claims = JSON.parse(readListing({ page: 'portkey', heading: 'A token for Portkey', path: 'claims.json' }))
  expect(Object.keys(claims)).toEqual(['iss', 'aud', 'sub', 'email_id', 'portkey_oid', 'portkey_workspace', 'scope'])
})

const shown = Object.entries(recipes).flatMap(([gateway, render]) =>
  render(shownTerms).map(({ path, text }) => ({ gateway, path, text })),
)

test.each(shown)('a page shows $path of the recipe for $gateway as it is generated', ({ path, text }) => {
  expect(chooseListing(path.split(' ')[0]!, text)).toBe(text)
})

const resource = {
  url: 'https://gateway.example/mcp',
  authorizationServers: ['https://login.example.com'],
  scopes: ['mcp:tools'],
  name: 'Tools',
}

test.each(Object.keys(recipes) as (keyof typeof recipes)[])(
  'the recipe for %s serves the metadata of the resource, as docs/gateways/mcp.md shows it',
  (gateway) => {
    const text = recipes[gateway]({ ...shownTerms, resource })
      .map((file) => `${file.path}\n${file.text}`)
      .join('')
    const [json = ''] = /\{"resource":.*?\}/.exec(text) ?? []
    const page = readFileSync(join(root, 'docs/gateways/mcp.md'), 'utf8')
    const shown = /metadata of the policy above:\n\n```json\n(.*?)```/s.exec(page)?.[1] ?? ''
    const isAtPath = text.includes('/.well-known/oauth-protected-resource/mcp')
    expect({ isAtPath, metadata: JSON.parse(json) }).toEqual({ isAtPath: true, metadata: JSON.parse(shown) })
  },
)

test.each(['envoy', 'envoy-grpc', 'traefik', 'kong'] as const)(
  'the YAML of %s with a resource is well-formed',
  (gateway) => {
    const [file] = recipes[gateway]({ ...shownTerms, resource })
    expect(Object.keys(parse(file!.text, { strict: true, uniqueKeys: true }))).toEqual(
      {
        envoy: ['http_filters', 'clusters', 'routes'],
        'envoy-grpc': ['http_filters', 'clusters', 'routes'],
        traefik: ['http'],
        kong: ['_format_version', 'services'],
      }[gateway],
    )
  },
)

test.each(Object.keys(recipes) as (keyof typeof recipes)[])(
  'the recipe for %s forwards each header of the policy and no other, without the token',
  (gateway) => {
    const paths = recipes[gateway](shownTerms).map(({ path }) => path)
    const text = paths
      .map((path) => readRecipe(gateway, path, { names: ['x-user', 'x-auth-groups'] }))
      .join('')
      .toLowerCase()
    const found = ['x-user', 'x-auth-groups', 'x-account', 'x_account', 'authorization'].filter((name) =>
      text.includes(name),
    )
    expect(found).toEqual(['x-user', 'x-auth-groups', 'authorization'])
  },
)
