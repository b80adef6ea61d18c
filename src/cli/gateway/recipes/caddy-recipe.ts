import { refusalHeader } from '../../../contract/refusal-reasons.ts'
import type { RecipeTerms } from '../../../verify/policy/recipe-terms.ts'
import { verifierSocket } from '../../../verify/server/listen-address.ts'
import {
  exampleAddress,
  findRecipeMetadata,
  listAskHeaders,
  type RecipeFile,
  toTitleCase,
  unavailableMessage,
  unavailableReason,
  unavailableType,
  withheldHeaders,
} from './recipe.ts'

/** Renders the configuration of Caddy, with the directives for which `forward_auth` is a shorthand. */
export function renderCaddy(terms: RecipeTerms, { host, port } = exampleAddress): RecipeFile[] {
  const address = port === '443' ? host : `${host}:${port}`
  return [{ path: '/etc/caddy/Caddyfile', text: renderCaddyfile(address, terms) }]
}

/** The characters of a header's name besides letters, digits and `-` (RFC 9110, section 5.6.2). */
const otherCharacters = [..."_.!#$%&'*+^`|~"]

function renderCaddyfile(address: string, terms: RecipeTerms): string {
  const [names, always] = [terms.names.map(toTitleCase), toTitleCase(terms.always)]
  const listed = names.join('|')
  return `{
	servers {
		protocols h1 h2
		# A proof of an AWS identity has up to 4 KB, and a JWT may have 16; all headers of a request have to fit.
		max_header_size 40KB
		timeouts {
			read_header 10s
		}
	}
}

# Nothing that can be taken for an answer of the verifier.
(gatepass-unavailable) {
	header Content-Type application/json
	header ${toTitleCase(refusalHeader)} ${unavailableReason}
	respond \`{"type":"error","error":{"type":"${unavailableType}","message":"${unavailableMessage}","reason":"${unavailableReason}"},"request_id":"req_{http.request.uuid}"}\` 503
}

${address} {
	tls /etc/caddy/gateway.pem /etc/caddy/gateway.key

	# In this order, whatever Caddy's own order is.
	route {
${renderMetadata(terms)}		@tunnel method CONNECT
		respond @tunnel 405
		# Caddy would drop a header that Connection names, after it was set.
		@dropped header_regexp Connection (?i)(^|[\\s,])(${listed})([\\s,]|$)
		respond @dropped 400

${renderStripping(names)}
${renderAsking(names, terms)}
		# The caller's token ends here. Where the model wants a key of the gateway's: header_up in reverse_proxy.
${renderLines(
  withheldHeaders.map((name) => `request_header -${toTitleCase(name)}`),
  2,
)}		@named header ${always} *
		reverse_proxy @named model.internal:8080
		import gatepass-unavailable
	}

	handle_errors {
		# A request that names nobody has no answer of the verifier.
		@unasked not header ${always} *
		handle @unasked {
			import gatepass-unavailable
		}
		respond "the gateway cannot reach the model" {http.error.status_code}
	}
}
`
}

/** Renders the metadata that clients read before they have a token (RFC 9728), without the verifier. */
function renderMetadata(terms: RecipeTerms): string {
  const metadata = findRecipeMetadata(terms)
  if (!metadata) return ''
  return `		# What OAuth and MCP clients read before they have a token.
		@metadata path ${metadata.path}
		header @metadata Content-Type application/json
		header @metadata Access-Control-Allow-Origin *
		respond @metadata \`${metadata.json}\` 200

`
}

function renderLines(lines: readonly string[], tabs: number): string {
  return lines.map((line) => `${'\t'.repeat(tabs)}${line}\n`).join('')
}

/** Renders the part that takes away what the caller must not say. */
function renderStripping(names: readonly string[]): string {
  return `		# What the caller says about itself: also names that a program behind may take for the same, such as X_User or X.User.
${renderLines(
  names.map((name) => `request_header -${name}`),
  2,
)}${renderLines(
  otherCharacters.map((character) => `request_header -*${character}*`),
  2,
)}		request_header -Connection
		request_header -Upgrade
		request_header -Forwarded
		request_header X-Request-Id req_{http.request.uuid}
`
}

/** Renders the part that asks the verifier, and takes the headers from its answer. */
function renderAsking(names: readonly string[], terms: RecipeTerms): string {
  return `		# forward_auth is short for these directives, and by itself takes any 2XX for a yes.
		reverse_proxy unix/${verifierSocket} {
			method GET
			rewrite /
${renderLines(
  listAskHeaders(terms).map(([name, value]) => `header_up ${toTitleCase(name)} ${value}`),
  3,
)}			# What rules and the audit learn of the request (--request-from x-forwarded), in place of what the caller says of it.
			header_up X-Forwarded-For {http.request.remote.host}
			header_up X-Forwarded-Host {http.request.host}
			header_up X-Forwarded-Method {http.request.orig_method}
			header_up X-Forwarded-Uri {http.request.orig_uri}
			# Empty without client_auth; for tokens that are bound to a certificate (--client-cert-header x-client-cert).
			header_up X-Client-Cert {http.request.tls.client.certificate_der_base64}
			transport http {
				dial_timeout 1s
				response_header_timeout 20s
			}
			# Only a 200 with each header of the policy lets a request pass.
			@accepted {
				status 200
				header Content-Length 0
${renderLines(
  names.map((name) => `header ${name} *`),
  4,
)}			}
			handle_response @accepted {
${renderLines(
  names.map((name) => `request_header ${name} {http.reverse_proxy.header.${name}}`),
  4,
)}			}
			@refused {
				status 4xx 5xx
				header ${toTitleCase(refusalHeader)} *
			}
			handle_response @refused {
				copy_response
			}
			handle_response {
				import gatepass-unavailable
			}
		}
`
}
