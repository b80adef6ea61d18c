import { refusalHeader } from '../../../contract/refusal-reasons.ts'
import type { RecipeTerms } from '../../../verify/policy/recipe-terms.ts'
import {
  findRecipeMetadata,
  listAskHeaders,
  type RecipeFile,
  toTitleCase,
  toUnderscores,
  unavailableMessage,
  unavailableReason,
  unavailableType,
  withheldHeaders,
} from './recipe.ts'

/** Renders the policy of Azure API Management, which asks the verifier with `send-request`. */
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

const renderPolicyXml = (isMissing: string, headers: string, terms: RecipeTerms) => String.raw`<policies>
  <inbound>
    <base />
${renderReturn(terms)}    <send-request mode="new" response-variable-name="verdict" timeout="20" ignore-error="true">
      <set-url>https://verifier.internal/</set-url>
      <set-method>GET</set-method>
      <set-header name="Authorization" exists-action="override">
        <value>@(context.Request.Headers.GetValueOrDefault("Authorization", ""))</value>
      </set-header>
      <!-- This header has the proof of a token that is bound to a key. It is empty for any other token. -->
      <set-header name="DPoP" exists-action="override">
        <value>@(context.Request.Headers.GetValueOrDefault("DPoP", ""))</value>
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
        return !verdict.Headers.ContainsKey(&quot;${refusalHeader}&quot;);
      }">
        <return-response>
          <set-status code="503" reason="Service Unavailable" />
          <set-header name="Content-Type" exists-action="override"><value>application/json</value></set-header>
          <set-header name="${refusalHeader}" exists-action="override"><value>${unavailableReason}</value></set-header>
          <set-body>@("{\"type\":\"error\",\"error\":{\"type\":\"${unavailableType}\",\"message\":\"${unavailableMessage}\",\"reason\":\"${unavailableReason}\"},\"request_id\":\"req_" + context.RequestId + "\"}")</set-body>
        </return-response>
      </when>
      <!-- A refusal goes to the caller as it is. -->
      <when condition="@(((IResponse)context.Variables[&quot;verdict&quot;]).StatusCode != 200)">
        <return-response response-variable-name="verdict" />
      </when>
    </choose>
${headers}
    <set-header name="X-Request-Id" exists-action="override"><value>@("req_" + context.RequestId)</value></set-header>
${withheldHeaders.map((name) => `    <set-header name="${toTitleCase(name)}" exists-action="delete" />\n`).join('')}    <set-header name="Ocp-Apim-Subscription-Key" exists-action="delete" />
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

/** Renders XML for the metadata that clients read before they have a token (RFC 9728), without the verifier. */
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
