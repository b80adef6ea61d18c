import { refusalDetailHeader, refusalHeader, refusalReasons } from '../../../contract/refusal-reasons.ts'
import type { RecipeTerms } from '../../../verify/policy/recipe-terms.ts'
import { nginxPaths, renderRequest, renderSets, renderShared, verifierUpstream } from './nginx-recipe.ts'
import { exampleAddress, type RecipeFile, toTitleCase, unavailableReason, unavailableType } from './recipe.ts'

/** Renders the configuration of nginx with njs, which keeps the body of a refusal. */
export function renderNginxNjs(terms: RecipeTerms, address = exampleAddress): RecipeFile[] {
  const { names } = terms
  return [
    { path: nginxPaths.upstream, text: njsUpstream },
    {
      path: nginxPaths.location,
      text: renderNjsVerify(renderSets(names, 'sent_http'), terms),
    },
    {
      path: '/etc/nginx/gatepass/gatepass.js',
      text: renderScript(names.map((name) => `'${toTitleCase(name)}'`).join(', ')),
    },
    ...renderShared(terms, address),
  ]
}

const njsUpstream = `${verifierUpstream}

js_import gatepass from gatepass/gatepass.js;
# Empty until the verifier has accepted: then nothing can be passed on to $gatepass_http://model.
js_var $gatepass_http '';
js_var $gatepass_status 503;
js_var $gatepass_body '';
js_var $gatepass_headers '{}';
`

const renderNjsVerify = (sets: string, terms: RecipeTerms) => `auth_request /gatepass;

location = /gatepass {
    internal;
    client_max_body_size 0;
    js_content           gatepass.verify;
}

location = /gatepass-verifier {
    internal;
    subrequest_output_buffer_size 16k;

${renderRequest(terms)}
}

error_page 403 = @gatepass_refused;

location @gatepass_refused {
    auth_request off;
    js_content   gatepass.refuse;
}

# What the policy says of the caller: one line here, and one in identity.conf, for each header that a rule of the policy sets.
${sets}
`

const renderScript = (
  identity: string,
) => `/** Every header that a rule of the policy sets: the verifier answers with all of them, empty where they do not apply. */
const identity = [${identity}]

/** For auth_request: asks the verifier, and keeps what it says for the client. */
async function verify(r) {
  const answer = await r.subrequest('/gatepass-verifier')
  if (answer.status === 200 && identity.every((name) => answer.headersOut[name] !== undefined)) {
    identity.forEach((name) => {
      r.headersOut[name] = answer.headersOut[name]
    })
    r.variables.gatepass_http = 'http'
    return r.return(204)
  }
  const isAnswered = answer.status >= 400 && answer.headersOut['${toTitleCase(refusalHeader)}'] !== undefined
  r.variables.gatepass_status = isAnswered ? answer.status : 503
  r.variables.gatepass_body = isAnswered ? answer.responseText : renderUnavailable(r)
  r.variables.gatepass_headers = JSON.stringify(isAnswered ? selectHeaders(answer) : unavailableHeaders)
  // Any body: without one nginx would look for the error page of this subrequest.
  r.return(403, 'refused')
}

/** Answers the client as the verifier has answered. */
function refuse(r) {
  const headers = JSON.parse(r.variables.gatepass_headers)
  for (const name in headers) r.headersOut[name] = headers[name]
  r.headersOut['Content-Type'] = 'application/json'
  r.return(Number(r.variables.gatepass_status), r.variables.gatepass_body)
}

const passed = ['Www-Authenticate', 'Retry-After', '${toTitleCase(refusalHeader)}', '${toTitleCase(refusalDetailHeader)}']

const unavailableHeaders = { '${toTitleCase(refusalHeader)}': '${unavailableReason}' }

function selectHeaders(answer) {
  const selected = {}
  passed.forEach((name) => {
    if (answer.headersOut[name]) selected[name] = answer.headersOut[name]
  })
  return selected
}

function renderUnavailable(r) {
  const error = {
    type: '${unavailableType}',
    message: '${refusalReasons[unavailableReason].summary}',
    reason: '${unavailableReason}',
  }
  return JSON.stringify({ type: 'error', error, request_id: 'req_' + r.variables.request_id })
}

export ${'default'} { verify, refuse }
`
