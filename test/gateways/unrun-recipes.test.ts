import { DOMParser } from '@xmldom/xmldom'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { removedHeaders } from '../../src/cli/gateway/recipes/recipe.ts'
import { computeRecipeDigest } from '../../src/verify/policy/recipe-terms.ts'
import { readRecipe, shownTerms } from './recipe.ts'

// The gateways of these recipes are not installed here, so that only what stands in them can be compared.

/** The headers that no model may get from a caller. */
const forbidden = ['authorization', 'proxy-authorization', 'x-api-key', 'dpop', ...removedHeaders]
const digest = computeRecipeDigest(shownTerms)
const findMissing = (removed: readonly string[]) => forbidden.filter((name) => !removed.includes(name))

test('Traefik sends the verifier the digest and the proof, and then removes every forbidden header', () => {
  const { http } = parse(readRecipe('traefik', '/etc/traefik/dynamic/gateway.yaml'))
  const { recipe, gatepass, caller } = http.middlewares
  expect({
    order: http.routers.gateway.middlewares,
    sent: gatepass.forwardAuth.authRequestHeaders,
    recipe,
    missing: findMissing(
      Object.entries(caller.headers.customRequestHeaders)
        .filter(([, value]) => value === '')
        .map(([name]) => name.toLowerCase()),
    ),
  }).toEqual({
    order: ['recipe', 'gatepass', 'caller'],
    sent: ['Authorization', 'Proxy-Authorization', 'X-Api-Key', 'DPoP', 'X-Request-Id', 'Gatepass-Recipe'],
    recipe: { headers: { customRequestHeaders: { 'Gatepass-Recipe': digest } } },
    missing: [],
  })
})

test.each(['envoy', 'envoy-grpc'] as const)('%s removes every forbidden header behind the verifier', (gateway) => {
  const { http_filters: filters } = parse(readRecipe(gateway, 'http_filters and clusters'))
  const names = filters.map(({ name }: { name: string }) => name.replace('envoy.filters.http.', ''))
  const mutations: { remove?: string }[] = filters[2].typed_config.mutations.request_mutations
  expect({ names, missing: findMissing(mutations.flatMap(({ remove }) => remove ?? [])) }).toEqual({
    names: ['header_mutation', 'ext_authz', 'header_mutation', 'router'],
    missing: [],
  })
})

test('Azure API Management sends the verifier the digest and the proof, and then removes every forbidden header', () => {
  const text = readRecipe('azure-api-management', 'policy.xml')
  const elements = [...new DOMParser().parseFromString(text, 'text/xml').getElementsByTagName('set-header')]
  const listIn = (parent: string, action: string) =>
    elements
      .filter((each) => each.parentNode?.nodeName === parent && each.getAttribute('exists-action') === action)
      .map((each) => each.getAttribute('name')!.toLowerCase())
  const [asked] = elements.filter((each) => each.getAttribute('name') === 'Gatepass-Recipe')
  expect({
    digest: asked?.textContent,
    sent: listIn('send-request', 'override'),
    missing: findMissing(listIn('inbound', 'delete')),
  }).toEqual({
    digest,
    sent: [
      ...['authorization', 'dpop', 'gatepass-recipe', 'x-request-id'],
      ...['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-method', 'x-forwarded-uri'],
    ],
    missing: [],
  })
})
