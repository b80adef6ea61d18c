import { refusalHeader, refusalReasons } from '../../../contract/refusal-reasons.ts'
import { toResourcePath } from '../../../verify/policy/protected-resource.ts'
import type { RecipeTerms } from '../../../verify/policy/recipe-terms.ts'
import { verifierSocket } from '../../../verify/server/listen-address.ts'
import {
  exampleAddress,
  findRecipeMetadata,
  type GatewayAddress,
  listAskHeaders,
  type RecipeFile,
  toTitleCase,
  unavailableReason,
  unavailableType,
  withheldHeaders,
} from './recipe.ts'

/** Renders the configuration of nginx with `auth_request` and nothing else. */
export function renderNginx(terms: RecipeTerms, address = exampleAddress): RecipeFile[] {
  const { names, always } = terms
  return [
    { path: nginxPaths.upstream, text: renderUpstream(toVariable(always)) },
    {
      path: nginxPaths.location,
      text: renderVerify(renderSets(names, 'upstream_http'), terms),
    },
    ...renderShared(terms, address),
  ]
}

/** Renders the files of both forms: the headers for the model, and the server. */
export function renderShared(terms: RecipeTerms, address: GatewayAddress): RecipeFile[] {
  const { names } = terms
  const width = Math.max(...names.map((name) => name.length))
  const lines = names.map((name) => `proxy_set_header ${toTitleCase(name).padEnd(width)} ${toVariable(name)};`)
  return [
    { path: '/etc/nginx/gatepass/identity.conf', text: renderIdentity(lines.join('\n')) },
    { path: '/etc/nginx/conf.d/gateway.conf', text: renderServer(address, terms) },
  ]
}

/**
 * Returns the nginx variable of a header. Its prefix is used only for headers, so that these files have no other variable of the same name.
 */
function toVariable(name: string): string {
  return `$caller_${name.replaceAll('-', '_')}`
}

/** Renders the lines that read each header of the policy from an answer. */
export function renderSets(names: readonly string[], from: 'upstream_http' | 'sent_http'): string {
  const width = Math.max(...names.map((name) => toVariable(name).length))
  return names
    .map((name) => `auth_request_set ${toVariable(name).padEnd(width)} $${from}_${name.replaceAll('-', '_')};`)
    .join('\n')
}

/** The verifier, on its socket, with connections that stay open. */
export const verifierUpstream = `upstream gatepass {
    server unix:${verifierSocket};
    keepalive 32;
}`

const renderUpstream = (always: string) => String.raw`${verifierUpstream}

# The reason is a word of the verifier. It is empty if the verifier did not answer.
map $gatepass_refusal $gatepass_reason {
    ''      ${unavailableReason};
    default $gatepass_refusal;
}

# The sentence for a person is in the challenge, if there is one, and has neither quotes nor backslashes.
map $gatepass_challenge $gatepass_message {
    '~error_description="(?<gatepass_said>[^"\x5c]+)"' $gatepass_said;
    default                                        $gatepass_summary;
}
map $gatepass_reason $gatepass_summary {
    no-token             '${refusalReasons['no-token'].summary}';
    ${unavailableReason} '${refusalReasons[unavailableReason].summary}';
    too-many-requests    '${refusalReasons['too-many-requests'].summary}';
    default              'it cannot be determined now whether the token is good';
}

# Empty, unless the verifier has answered 200 and named the caller: then nothing can be passed on to http://model. After a verifier
# that did not answer, the status of the next one stands behind its own.
map "$gatepass_asked ${always}" $gatepass_http {
    '~^([0-9]+, )*200 [^ ]' http;
    default      '';
}
`

/** Renders the request to the verifier in every form: without the body, which it does not need, and within the time that a client waits. */
export const renderRequest = (terms: RecipeTerms) => `    proxy_pass              http://gatepass/;
    proxy_method            GET;
    proxy_pass_request_body off;
    proxy_set_header        Content-Length "";
    proxy_set_header        Connection "";
    proxy_set_header        X-Request-Id req_$request_id;
    # The policy from which these files were made: the verifier says when it is another one.
${listAskHeaders(terms)
  .map(([name, value]) => `    proxy_set_header        ${toTitleCase(name)} ${value};\n`)
  .join(
    '',
  )}    # What rules and the audit learn of the request (--request-from x-forwarded), in place of what the caller says of it.
    proxy_set_header        X-Forwarded-For $remote_addr;
    proxy_set_header        X-Forwarded-Host $host;
    proxy_set_header        X-Forwarded-Method $request_method;
    proxy_set_header        X-Forwarded-Uri $request_uri;
    # Empty without ssl_verify_client; for tokens that are bound to a certificate (--client-cert-header x-client-cert).
    proxy_set_header        X-Client-Cert $ssl_client_escaped_cert;
    proxy_http_version      1.1;
    proxy_connect_timeout   1s;
    proxy_send_timeout      2s;
    proxy_read_timeout      20s;
    proxy_buffer_size       16k;
    proxy_buffers           4 16k;
    proxy_busy_buffers_size 16k;
    proxy_cache             off;
    client_max_body_size    0;`

const renderVerify = (sets: string, terms: RecipeTerms) => String.raw`auth_request /gatepass;
auth_request_set $gatepass_refusal   $upstream_http_gatepass_refusal;
auth_request_set $gatepass_challenge $upstream_http_www_authenticate;
auth_request_set $gatepass_retry     $upstream_http_retry_after;
auth_request_set $gatepass_asked     $upstream_status;

location = /gatepass {
    internal;
${renderRequest(terms)}
}

error_page 401 = @gatepass_401;
error_page 403 = @gatepass_403;
error_page 500 = @gatepass_500;

# A refusal without a reason is not the verifier's.
recursive_error_pages on;

# nginx has passed the challenge of a 401 on by itself.
location @gatepass_401 {
    if ($gatepass_refusal = '') {
        return 500;
    }
    default_type application/json;
    add_header   ${toTitleCase(refusalHeader)} $gatepass_reason always;
    return 401 '{"type":"error","error":{"type":"authentication_error","message":"$gatepass_message","reason":"$gatepass_reason"},"request_id":"req_$request_id"}\n';
}

location @gatepass_403 {
    if ($gatepass_refusal = '') {
        return 500;
    }
    default_type application/json;
    add_header   ${toTitleCase(refusalHeader)} $gatepass_reason always;
    add_header   WWW-Authenticate $gatepass_challenge always;
    return 403 '{"type":"error","error":{"type":"permission_error","message":"$gatepass_message","reason":"$gatepass_reason"},"request_id":"req_$request_id"}\n';
}

# auth_request makes a 500 of every other answer: a 429 or a 503 of the verifier, and a verifier that is away.
location @gatepass_500 {
    if ($gatepass_http) {
        return 500 'the gateway has failed\n';
    }
    default_type application/json;
    add_header   ${toTitleCase(refusalHeader)} $gatepass_reason always;
    add_header   Retry-After $gatepass_retry always;
    if ($gatepass_reason = too-many-requests) {
        return 429 '{"type":"error","error":{"type":"rate_limit_error","message":"$gatepass_message","reason":"$gatepass_reason"},"request_id":"req_$request_id"}\n';
    }
    return 503 '{"type":"error","error":{"type":"${unavailableType}","message":"$gatepass_message","reason":"$gatepass_reason"},"request_id":"req_$request_id"}\n';
}

# What the policy says of the caller: one line here, and one in identity.conf, for each header that a rule of the policy sets.
${sets}
`

const renderIdentity = (
  lines: string,
) => `# These take the place of headers of the same name that the caller has sent; an empty one is not sent at all.
${lines}

# The caller's token ends here. Where the model wants a key of the gateway's: 'Bearer …', from a file that only root reads.
${withheldHeaders.map((name) => `proxy_set_header ${toTitleCase(name)} "";`).join('\n')}

proxy_set_header Host              model.internal;
proxy_set_header X-Forwarded-For   $remote_addr;
proxy_set_header X-Forwarded-Proto $scheme;
proxy_set_header X-Real-IP         $remote_addr;
proxy_set_header Forwarded         "";
proxy_set_header X-Request-Id      req_$request_id;
proxy_set_header Connection        "";
`

const renderServer = (address: GatewayAddress, terms: RecipeTerms) => `upstream model {
    server model.internal:8080;
    keepalive 32;
}

server {
    listen ${address.port} ssl http2;
    server_name ${address.host};
    ssl_certificate     /etc/nginx/gateway.pem;
    ssl_certificate_key /etc/nginx/gateway.key;

    # A proof of an AWS identity has up to 4 KB, and a JWT may have 16.
    large_client_header_buffers 4 20k;
    ignore_invalid_headers      on;
    underscores_in_headers      off;

    include gatepass/verify.conf;
${renderMetadata(terms)}
    location ${toServedPath(address, terms)} {
        include gatepass/identity.conf;
        proxy_pass           $gatepass_http://model;
        proxy_http_version   1.1;
        proxy_ignore_headers X-Accel-Redirect;

        # Prompts come and answers go as they are written; an answer may pause for long.
        client_max_body_size    32m;
        proxy_request_buffering off;
        proxy_buffering         off;
        proxy_read_timeout      600s;
        proxy_send_timeout      600s;
    }
${toServedPath(address, terms) === '/' ? '' : elsewhere}}
`

/** Renders the locations of the metadata that clients read before they have a token (RFC 9728), without the verifier. */
function renderMetadata(terms: RecipeTerms): string {
  const metadata = findRecipeMetadata(terms)
  if (!metadata) return ''
  return `
    # What OAuth and MCP clients read before they have a token.
    location = ${metadata.path} {
        auth_request off;
        default_type application/json;
        add_header   Access-Control-Allow-Origin *;
        return 200 '${metadata.json}';
    }
`
}

/** The answers to every other path; empty if the resource is the whole host. */
const elsewhere = `
    location / {
        return 404;
    }
`

/** Returns the path of the model, or of the resource if the policy names one. */
function toServedPath({ prefix }: GatewayAddress, { resource }: RecipeTerms): string {
  return resource ? toResourcePath(resource) || '/' : `${prefix}/v1/`
}

/** The paths at which nginx of Debian's package reads these files. */
export const nginxPaths = {
  upstream: '/etc/nginx/conf.d/gatepass.conf',
  location: '/etc/nginx/gatepass/verify.conf',
} as const
