import { examineCredential } from '../../../src/client/doctor/examine-credential.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import type { Told } from './outcome.ts'
import type { ClientAnswer, ClientRequest } from './send.ts'
import type { Stage } from './stage.ts'

/**
 * Returns what `gatepass doctor` says of a refusal, from the answer as the gateway has sent it; the issuers by their names on the stage.
 */
export async function askDoctor(stage: Stage, sent: ClientRequest, answer: ClientAnswer): Promise<Told> {
  const [first, ...more] = sent.headers ?? []
  const credential = {
    token: new Secret(first?.[1].replace(/^Bearer /, '') ?? stage.tokens.person), // as if it was lost on the way
    headers: Object.fromEntries(more),
  }
  const inference = { provider: 'gateway', baseUrl: 'https://gateway.example' } as const
  const parts = await examineCredential(inference, credential, undefined, async () => toResponse(answer))
  const { lines = [], hint = '' } = parts.find(({ part }) => part === 'gateway') ?? {}
  const names = ['issuer', 'rotatingIssuer', 'absentIssuer', 'foreignIssuer'] as const
  const tell = (text: string) =>
    names
      .reduce((told, name) => told.replaceAll(stage[name].issuer, name), text)
      .replaceAll(stage.aws.outboundIdentity.issuer, 'awsIssuer')
  // In a challenge the detail has no double quotes.
  return { cause: tell(lines.at(-1) ?? '').replaceAll(/'([^' ]*)'/g, '"$1"'), hint: tell(hint) }
}

function toResponse({ status, headers, body }: ClientAnswer): Response {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((text) => [name, text]))
  return new Response(body, { status, headers: new Headers(lines as [string, string][]) })
}
