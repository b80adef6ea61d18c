import type { RecipeTerms } from '../../../verify/policy/recipe-terms.ts'
import {
  exampleAddress,
  findRecipeMetadata,
  listAskHeaders,
  quoteAll,
  type RecipeFile,
  removedHeaders,
  toTitleCase,
  toUnderscores,
} from './recipe.ts'

/** Envoy with `ext_authz` over HTTP. */
export function renderEnvoy(terms: RecipeTerms): RecipeFile[] {
  const { names } = terms
  const taken = names.map((name) => `              - { exact: ${name}, ignore_case: true }`).join('\n')
  const text =
    renderFilters(renderRemovals(terms), renderHttpService(taken, terms)) + renderCluster(8790, '') + renderRoute(terms)
  return [{ path: 'http_filters and clusters', text }]
}

/** Envoy with `ext_authz` over gRPC. */
export function renderEnvoyGrpc(terms: RecipeTerms): RecipeFile[] {
  const filters = renderFilters(renderRemovals(terms), grpcService)
  const text = filters + renderCluster(8793, http2) + renderRoute(terms)
  return [{ path: 'http_filters and clusters', text }]
}

/** Envoy: the route of what clients read before they have a token (RFC 9728); nobody is asked. */
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

/** Envoy: the mutations before the verifier is asked. It learns from which policy these files were made. */
function renderRemovals(terms: RecipeTerms): string {
  const asked = listAskHeaders(terms).map(
    ([name, value]) => `          - append:
              header: { key: ${name}, value: "${value}" }
              append_action: OVERWRITE_IF_EXISTS_OR_ADD`,
  )
  return `${terms.names.map((name) => `          - remove: ${name}\n`).join('')}${asked.join('\n')}`
}

/** Traefik with `forwardAuth`. */
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

/** Traefik answers nothing by itself, so that a server of files has the metadata. */
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

const jsonType = `    json:
      headers:
        customResponseHeaders:
          Content-Type: application/json
          Access-Control-Allow-Origin: "*"
`

/** Kong with `pre-function`. */
export function renderKong(terms: RecipeTerms, { host } = exampleAddress): RecipeFile[] {
  return [{ path: 'kong.yml', text: renderServices(host, terms) }]
}

/** Azure API Management with `send-request`. */
export function renderAzure(terms: RecipeTerms): RecipeFile[] {
  const { names } = terms
  const isMissing = names.map((name) => `!verdict.Headers.ContainsKey(&quot;${name}&quot;)`).join(' || ')
  const set = names.map(
    (name) => `    <set-header name="${toTitleCase(name)}" exists-action="override">
      <value>@(((IResponse)context.Variables["verdict"]).Headers.GetValueOrDefault("${name}", ""))</value>
    </set-header>`,
  )
  const removed = names
    .flatMap((name) => toUnderscores(toTitleCase(name)))
    .map((name) => `    <set-header name="${name}" exists-action="delete" />`)
  return [{ path: 'policy.xml', text: renderPolicyXml(isMissing, [...set, ...removed].join('\n'), terms) }]
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
          - remove: authorization
          - remove: proxy-authorization
          - remove: x-api-key
          - remove: cookie
${removedHeaders.map((name) => `          - remove: ${name}\n`).join('')}          - remove: dpop
  - name: envoy.filters.http.router
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router
`

const renderHttpService = (taken: string, terms: RecipeTerms) => `      # Authorization is sent in any case.
      allowed_headers:
        patterns:
          - { exact: x-api-key, ignore_case: true }
          - { exact: proxy-authorization, ignore_case: true }
${listAskHeaders(terms)
  .map(([name]) => `          - { exact: ${name}, ignore_case: true }\n`)
  .join('')}          - { exact: dpop, ignore_case: true }
          # The client certificate, where the connection manager has forward_client_cert_details: SANITIZE_SET
          # (--client-cert-header x-forwarded-client-cert). By default Envoy removes the caller's own.
          - { exact: x-forwarded-client-cert, ignore_case: true }
          # Envoy's own, in place of one that the caller has sent from outside.
          - { exact: x-request-id, ignore_case: true }
      http_service:
        server_uri: { uri: http://127.0.0.1:8790, cluster: gatepass, timeout: 20s }
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
              - { prefix: gatepass-refusal, ignore_case: true }
`

const grpcService = `      # Every header is sent, so that the verifier can have those removed that only look like one of the policy, such as X_User.
      encode_raw_headers: true
      # For tokens that are bound to a certificate.
      include_peer_certificate: true
      grpc_service:
        envoy_grpc: { cluster_name: gatepass }
        timeout: 20s
`

const http2 = `    typed_extension_protocol_options:
      envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
        "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
        explicit_http_config: { http2_protocol_options: {} }
    health_checks:
      - { timeout: 1s, interval: 5s, unhealthy_threshold: 2, healthy_threshold: 1, grpc_health_check: {} }
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
        address: http://127.0.0.1:8790/
        # Does not trust what the caller says about itself.
        trustForwardHeader: false
        # Only these are sent to the verifier. X-Request-Id is that of a load balancer in front, or the caller's: Traefik makes none.
        authRequestHeaders: [Authorization, Proxy-Authorization, X-Api-Key, DPoP, X-Request-Id, ${asked.map(([name]) => name).join(', ')}]
        # Each header that a rule of the policy sets. They take the place of those that the caller has sent.
        authResponseHeaders: [${names}]
        maxResponseBodySize: 65536
    # An empty text removes a header. The token ends here, and X_User never was one.
    caller:
      headers:
        customRequestHeaders:
          Authorization: ""
          Proxy-Authorization: ""
          X-Api-Key: ""
          Cookie: ""
          DPoP: ""
          Upgrade: ""
${removedHeaders.map((name) => `          ${toTitleCase(name)}: ""\n`).join('')}${misspelled}
${service === '' ? '' : jsonType}
  services:
    model:
      loadBalancer:
        servers:
          - url: http://model.internal:8080
${service}`

const renderServices = (host: string, terms: RecipeTerms) => `_format_version: "3.0"
services:
  - name: model
    url: http://model.internal:8080
    read_timeout: 600000
    routes:
      - name: gateway
        hosts: [${host}]
        paths: ["/"]
        strip_path: false
    plugins:
      - name: pre-function
        config:
          access:
            - |
${renderKongMetadata(terms)}              local http = require "resty.http"

              -- Each header that a rule of the policy sets, and those in which a caller may send a credential.
              local identity = { ${quoteAll(terms.names, '"')} }
              local credentials = { "authorization", "proxy-authorization", "x-api-key", "dpop" }
              local explanations = { "www-authenticate", "gatepass-refusal", "gatepass-refusal-detail", "retry-after" }

              -- The ID for the log of the verifier, a refusal of this script, and the model.
              local request_id = "req_" .. ngx.var.request_id

              -- A header that came twice is a list, and is sent twice: the verifier refuses it.
              local received, sent = kong.request.get_headers(1000), { ["x-request-id"] = request_id }
${listAskHeaders(terms)
  .map(([name, value]) => `              sent["${name}"] = "${value}"\n`)
  .join('')}              for _, name in ipairs(credentials) do sent[name] = received[name] end
              -- What rules and the audit learn of the request: --request-from x-forwarded.
              sent["x-forwarded-for"] = kong.client.get_ip()
              sent["x-forwarded-host"] = kong.request.get_host()
              sent["x-forwarded-method"] = kong.request.get_method()
              sent["x-forwarded-uri"] = ngx.var.request_uri
              -- Empty without ssl_verify_client; for tokens that are bound to a certificate (--client-cert-header x-client-cert).
              sent["x-client-cert"] = ngx.var.ssl_client_escaped_cert

              local client = http.new()
              client:set_timeouts(1000, 2000, 20000)
              local answer = client:request_uri("http://127.0.0.1:8790/", { method = "GET", headers = sent })

              if answer and answer.status >= 400 and answer.headers["gatepass-refusal"] then
                local headers = { ["content-type"] = "application/json" }
                for _, name in ipairs(explanations) do headers[name] = answer.headers[name] end
                return kong.response.exit(answer.status, answer.body, headers)
              end
              local accepted = answer and answer.status == 200
              for _, name in ipairs(identity) do accepted = accepted and answer.headers[name] end
              if not accepted then
                local body = { type = "error", request_id = request_id }
                body.error = { type = "api_error", message = "the verifier cannot be asked", reason = "verifier-unavailable" }
                return kong.response.exit(503, body, { ["gatepass-refusal"] = "verifier-unavailable" })
              end

              -- Kong takes headers such as X_User and X.User, which a program behind may take for the same name.
              local removed = {}
              for _, name in ipairs(identity) do removed[name] = true end
              for name in pairs(received) do
                if removed[(name:lower():gsub("[^a-z0-9]", "-"))] then kong.service.request.clear_header(name) end
              end
              for _, name in ipairs(identity) do kong.service.request.set_header(name, answer.headers[name]) end
              for _, name in ipairs(credentials) do kong.service.request.clear_header(name) end
              for _, name in ipairs({ ${quoteAll(removedHeaders, '"')} }) do kong.service.request.clear_header(name) end
              kong.service.request.set_header("x-request-id", request_id)
              kong.service.request.clear_header("cookie")
              kong.service.request.clear_header("x-client-cert")
`

/** Lua: the answer to what clients read before they have a token (RFC 9728); nobody is asked. */
function renderKongMetadata(terms: RecipeTerms): string {
  const metadata = findRecipeMetadata(terms)
  if (!metadata) return ''
  return `              -- What OAuth and MCP clients read before they have a token.
              if kong.request.get_path() == "${metadata.path}" then
                local headers = { ["content-type"] = "application/json", ["access-control-allow-origin"] = "*" }
                return kong.response.exit(200, '${metadata.json}', headers)
              end

`
}

const renderPolicyXml = (isMissing: string, headers: string, terms: RecipeTerms) => String.raw`<policies>
  <inbound>
    <base />
${renderReturn(terms)}    <send-request mode="new" response-variable-name="verdict" timeout="20" ignore-error="true">
      <set-url>https://verifier.internal/</set-url>
      <set-method>GET</set-method>
      <set-header name="Authorization" exists-action="override">
        <value>@(context.Request.Headers.GetValueOrDefault("Authorization", ""))</value>
      </set-header>
${listAskHeaders(terms)
  .map(
    ([name, value]) =>
      `      <set-header name="${toTitleCase(name)}" exists-action="override"><value>${value}</value></set-header>\n`,
  )
  .join('')}      <!-- In the log of the verifier too. -->
      <set-header name="X-Request-Id" exists-action="override"><value>@("req_" + context.RequestId)</value></set-header>
      <!-- What rules and the audit learn of the request, in the form x-forwarded. -->
      <set-header name="X-Forwarded-For" exists-action="override"><value>@(context.Request.IpAddress)</value></set-header>
      <set-header name="X-Forwarded-Host" exists-action="override">
        <value>@(context.Request.OriginalUrl.Host)</value>
      </set-header>
      <set-header name="X-Forwarded-Method" exists-action="override"><value>@(context.Request.Method)</value></set-header>
      <set-header name="X-Forwarded-Uri" exists-action="override">
        <value>@(context.Request.OriginalUrl.Path)</value>
      </set-header>
    </send-request>
    <choose>
      <!-- No answer, or an answer that is not the verifier's. -->
      <when condition="@{
        var verdict = context.Variables.GetValueOrDefault&lt;IResponse&gt;(&quot;verdict&quot;);
        if (verdict == null) { return true; }
        if (verdict.StatusCode == 200) { return ${isMissing}; }
        return !verdict.Headers.ContainsKey(&quot;gatepass-refusal&quot;);
      }">
        <return-response>
          <set-status code="503" reason="Service Unavailable" />
          <set-header name="Content-Type" exists-action="override"><value>application/json</value></set-header>
          <set-header name="gatepass-refusal" exists-action="override"><value>verifier-unavailable</value></set-header>
          <set-body>@("{\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"the verifier cannot be asked\",\"reason\":\"verifier-unavailable\"},\"request_id\":\"req_" + context.RequestId + "\"}")</set-body>
        </return-response>
      </when>
      <!-- A refusal goes to the caller as it is. -->
      <when condition="@(((IResponse)context.Variables[&quot;verdict&quot;]).StatusCode != 200)">
        <return-response response-variable-name="verdict" />
      </when>
    </choose>
${headers}
    <set-header name="X-Request-Id" exists-action="override"><value>@("req_" + context.RequestId)</value></set-header>
    <set-header name="Authorization" exists-action="delete" />
    <set-header name="X-Api-Key" exists-action="delete" />
${removedHeaders.map((name) => `    <set-header name="${toTitleCase(name)}" exists-action="delete" />\n`).join('')}    <set-header name="Ocp-Apim-Subscription-Key" exists-action="delete" />
  </inbound>
  <backend>
    <base />
  </backend>
  <outbound>
    <base />
  </outbound>
  <on-error>
    <base />
  </on-error>
</policies>
`

/** XML: the answer to what clients read before they have a token (RFC 9728); nobody is asked. */
function renderReturn(terms: RecipeTerms): string {
  const metadata = findRecipeMetadata(terms)
  if (!metadata) return ''
  return `    <!-- What OAuth and MCP clients read before they have a token. -->
    <choose>
      <when condition="@(context.Request.OriginalUrl.Path == &quot;${metadata.path}&quot;)">
        <return-response>
          <set-status code="200" reason="OK" />
          <set-header name="Content-Type" exists-action="override"><value>application/json</value></set-header>
          <set-header name="Access-Control-Allow-Origin" exists-action="override"><value>*</value></set-header>
          <set-body>${metadata.json}</set-body>
        </return-response>
      </when>
    </choose>
`
}
