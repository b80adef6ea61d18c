import type { RecipeTerms } from '../../../verify/policy/recipe-terms.ts'
import { usualPorts } from '../../../verify/server/listen-address.ts'
import { credentialHeaders } from '../../../verify/server/request-token.ts'
import {
  exampleAddress,
  findRecipeMetadata,
  listAskHeaders,
  type RecipeFile,
  toTitleCase,
  toUnderscores,
  withheldHeaders,
} from './recipe.ts'

/** Renders the dynamic configuration of Traefik, whose middleware `forwardAuth` asks the verifier. */
export function renderTraefik(terms: RecipeTerms, { host } = exampleAddress): RecipeFile[] {
  const { names } = terms
  const metadata = findRecipeMetadata(terms)
  const misspelled = names.flatMap((name) => toUnderscores(toTitleCase(name))).map((name) => `          ${name}: ""`)
  const text = renderDynamic(host, {
    names: names.map(toTitleCase).join(', '),
    asked: listAskHeaders(terms).map(([name, value]) => [toTitleCase(name), value] as const),
    misspelled: misspelled.join('\n'),
    router: metadata ? renderFileRouter(host, metadata.path) : '',
    service: metadata ? fileService : '',
  })
  return [
    { path: '/etc/traefik/dynamic/gateway.yaml', text },
    ...(metadata ? [{ path: `/srv/www${metadata.path}`, text: `${metadata.json}\n` }] : []),
  ]
}

/** Traefik cannot answer by itself, so a file server serves the metadata. */
const renderFileRouter = (
  host: string,
  path: string,
) => `    # What OAuth and MCP clients read before they have a token.
    metadata:
      rule: Host(\`${host}\`) && Path(\`${path}\`)
      entryPoints: [websecure]
      tls: {}
      middlewares: [json]
      service: files
`

const fileService = `    # Any server of files that has the other file of this recipe.
    files:
      loadBalancer:
        servers:
          - url: http://files.internal:8080
`

interface DynamicParts {
  readonly names: string
  readonly asked: ReturnType<typeof listAskHeaders>
  readonly misspelled: string
  /** The router and the service of the metadata; empty without a resource. */
  readonly router: string
  readonly service: string
}

const renderDynamic = (host: string, { names, asked, misspelled, router, service }: DynamicParts) => `http:
  routers:
    gateway:
      rule: Host(${'`'}${host}${'`'})
      entryPoints: [websecure]
      tls: {}
      middlewares: [recipe, gatepass, caller]
      service: model
${router}
  middlewares:
    # The policy from which this file was made: the verifier says when it is another one.
    recipe:
      headers:
        customRequestHeaders:
${asked.map(([name, value]) => `          ${name}: "${value}"\n`).join('')}    gatepass:
      forwardAuth:
        address: http://127.0.0.1:${usualPorts.verifier}/
        # Does not trust what the caller says about itself.
        trustForwardHeader: false
        # Only these are sent to the verifier. X-Request-Id is that of a load balancer in front, or the caller's: Traefik makes none.
        authRequestHeaders: [${credentialHeaders.map(toTitleCase).join(', ')}, X-Request-Id, ${asked.map(([name]) => name).join(', ')}]
        # Each header that a rule of the policy sets. They take the place of those that the caller has sent.
        authResponseHeaders: [${names}]
        maxResponseBodySize: 65536
    # An empty text removes a header. The token ends here, and X_User never was one.
    caller:
      headers:
        customRequestHeaders:
          Upgrade: ""
${withheldHeaders.map((name) => `          ${toTitleCase(name)}: ""\n`).join('')}${misspelled}
${service === '' ? '' : jsonType}
  services:
    model:
      loadBalancer:
        servers:
          - url: http://model.internal:8080
${service}`

const jsonType = `    json:
      headers:
        customResponseHeaders:
          Content-Type: application/json
          Access-Control-Allow-Origin: "*"
`
