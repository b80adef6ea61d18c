import { refusalHeader } from '../../../contract/refusal-reasons.ts'
import type { RecipeTerms } from '../../../verify/policy/recipe-terms.ts'
import { usualPorts } from '../../../verify/server/listen-address.ts'
import { credentialHeaders } from '../../../verify/server/request-token.ts'
import {
  exampleAddress,
  explanationHeaders,
  findRecipeMetadata,
  listAskHeaders,
  quoteAll,
  type RecipeFile,
  removedHeaders,
  unavailableMessage,
  unavailableReason,
  unavailableType,
} from './recipe.ts'

/** Renders the declarative configuration of Kong, whose plugin `pre-function` asks the verifier. */
export function renderKong(terms: RecipeTerms, { host } = exampleAddress): RecipeFile[] {
  return [{ path: 'kong.yml', text: renderServices(host, terms) }]
}

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
              local credentials = { ${quoteAll(credentialHeaders, '"')} }
              local explanations = { ${quoteAll(explanationHeaders, '"')} }

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
              local answer = client:request_uri("http://127.0.0.1:${usualPorts.verifier}/", { method = "GET", headers = sent })

              if answer and answer.status >= 400 and answer.headers["${refusalHeader}"] then
                local headers = { ["content-type"] = "application/json" }
                for _, name in ipairs(explanations) do headers[name] = answer.headers[name] end
                return kong.response.exit(answer.status, answer.body, headers)
              end
              local accepted = answer and answer.status == 200
              for _, name in ipairs(identity) do accepted = accepted and answer.headers[name] end
              if not accepted then
                local body = { type = "error", request_id = request_id }
                body.error = { type = "${unavailableType}", message = "${unavailableMessage}", reason = "${unavailableReason}" }
                return kong.response.exit(503, body, { ["${refusalHeader}"] = "${unavailableReason}" })
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
`

/** Renders Lua for the metadata that clients read before they have a token (RFC 9728), without the verifier. */
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
