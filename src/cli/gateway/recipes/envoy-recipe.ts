import { refusalHeader } from '../../../contract/refusal-reasons.ts'
import type { RecipeTerms } from '../../../verify/policy/recipe-terms.ts'
import { usualPorts } from '../../../verify/server/listen-address.ts'
import { credentialHeaders } from '../../../verify/server/request-token.ts'
import { findRecipeMetadata, listAskHeaders, type RecipeFile, withheldHeaders } from './recipe.ts'

/** Renders the configuration of Envoy with `ext_authz` over HTTP. */
export function renderEnvoy(terms: RecipeTerms): RecipeFile[] {
  const { names } = terms
  const taken = names.map((name) => `              - { exact: ${name}, ignore_case: true }`).join('\n')
  const text =
    renderFilters(renderRemovals(terms), renderHttpService(taken, terms)) +
    renderCluster(usualPorts.verifier, '') +
    renderRoute(terms)
  return [{ path: 'http_filters and clusters', text }]
}

/** Renders the configuration of Envoy with `ext_authz` over gRPC. */
export function renderEnvoyGrpc(terms: RecipeTerms): RecipeFile[] {
  const filters = renderFilters(renderRemovals(terms), grpcService)
  const text = filters + renderCluster(usualPorts.verifierGrpc, http2) + renderRoute(terms)
  return [{ path: 'http_filters and clusters', text }]
}

const renderFilters = (removed: string, service: string) => `http_filters:
  # Removes what the caller says about itself, before the verifier is asked.
  - name: envoy.filters.http.header_mutation
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutation
      mutations:
        request_mutations:
${removed}
  - name: envoy.filters.http.ext_authz
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthz
      transport_api_version: V3
      # A verifier that is away lets nobody pass, and the answer is not 403, which says something about the caller.
      failure_mode_allow: false
      status_on_error: { code: ServiceUnavailable }
${service}  # The token ends here, and a request that names nobody does as well.
  - name: envoy.filters.http.header_mutation
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutation
      mutations:
        request_mutations:
${withheldHeaders.map((name) => `          - remove: ${name}\n`).join('')}  - name: envoy.filters.http.router
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router
`

/** Renders the changes before the request to the verifier, which include the digest of the recipe. */
function renderRemovals(terms: RecipeTerms): string {
  const asked = listAskHeaders(terms).map(
    ([name, value]) => `          - append:
              header: { key: ${name}, value: "${value}" }
              append_action: OVERWRITE_IF_EXISTS_OR_ADD`,
  )
  return `${terms.names.map((name) => `          - remove: ${name}\n`).join('')}${asked.join('\n')}`
}

const renderHttpService = (taken: string, terms: RecipeTerms) => `      # Authorization is sent in any case.
      allowed_headers:
        patterns:
${[...credentialHeaders, ...listAskHeaders(terms).map(([name]) => name)]
  .filter((name) => name !== 'authorization')
  .map((name) => `          - { exact: ${name}, ignore_case: true }\n`)
  .join(
    '',
  )}          # The client certificate, where the connection manager has forward_client_cert_details: SANITIZE_SET
          # (--client-cert-header x-forwarded-client-cert). By default Envoy removes the caller's own.
          - { exact: x-forwarded-client-cert, ignore_case: true }
          # Envoy's own, in place of one that the caller has sent from outside.
          - { exact: x-request-id, ignore_case: true }
      http_service:
        server_uri: { uri: http://127.0.0.1:${usualPorts.verifier}, cluster: gatepass, timeout: 20s }
        authorization_response:
          # Each header that a rule of the policy sets. They take the place of those that the caller has sent.
          allowed_upstream_headers:
            patterns:
${taken}
          allowed_client_headers:
            patterns:
              - { exact: www-authenticate, ignore_case: true }
              - { exact: content-type, ignore_case: true }
              - { exact: retry-after, ignore_case: true }
              - { prefix: ${refusalHeader}, ignore_case: true }
`

const grpcService = `      # Every header is sent, so that the verifier can have those removed that only look like one of the policy, such as X_User.
      encode_raw_headers: true
      # For tokens that are bound to a certificate.
      include_peer_certificate: true
      grpc_service:
        envoy_grpc: { cluster_name: gatepass }
        timeout: 20s
`

const renderCluster = (port: number, options: string) => `
clusters:
  - name: gatepass
    type: STATIC
    connect_timeout: 1s
${options}    load_assignment:
      cluster_name: gatepass
      endpoints:
        - lb_endpoints:
            - endpoint:
                address:
                  socket_address: { address: 127.0.0.1, port_value: ${port} }
`

const http2 = `    typed_extension_protocol_options:
      envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
        "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
        explicit_http_config: { http2_protocol_options: {} }
    health_checks:
      - { timeout: 1s, interval: 5s, unhealthy_threshold: 2, healthy_threshold: 1, grpc_health_check: {} }
`

/** Renders the route of the metadata that clients read before they have a token (RFC 9728), without the verifier. */
function renderRoute(terms: RecipeTerms): string {
  const metadata = findRecipeMetadata(terms)
  if (!metadata) return ''
  return `
# The first of the routes: what OAuth and MCP clients read before they have a token.
routes:
  - match: { path: ${metadata.path} }
    direct_response:
      status: 200
      body: { inline_string: '${metadata.json}' }
    response_headers_to_add:
      - header: { key: content-type, value: application/json }
        append_action: OVERWRITE_IF_EXISTS_OR_ADD
      - header: { key: access-control-allow-origin, value: "*" }
        append_action: OVERWRITE_IF_EXISTS_OR_ADD
    typed_per_filter_config:
      envoy.filters.http.ext_authz:
        "@type": type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthzPerRoute
        disabled: true
`
}
