import { request } from 'node:http'
import { text } from 'node:stream/consumers'

/** Why a server refuses a proof of an AWS identity, or whose it is; never a part of the proof. */
export type ProofVerdict =
  | { readonly ok: true; readonly arn: string; readonly account: string }
  | { readonly ok: false; readonly reason: string }

/** A request that somebody else has signed. */
interface ForeignRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string
}

/**
 * Performs the signed request, as a server does that wants to know whose it is: at the stand-in for AWS, under the host that
 * was signed. Redirects are not followed.
 */
export async function askSts(
  { method, url, headers, body = '' }: ForeignRequest,
  standIn: { readonly url: string },
): Promise<ProofVerdict> {
  const { hostname, port } = new URL(standIn.url)
  const path = `${url.pathname}${url.search}`
  const sent = request({ hostname, port, path, method, headers: { ...headers, host: url.host } })
  const answered = new Promise<{ status: number; content: string }>((resolve, reject) => {
    sent.on('error', reject)
    sent.on('response', async (response) =>
      resolve({ status: response.statusCode ?? 0, content: await text(response) }),
    )
  })
  sent.end(body)
  const { status, content } = await answered
  const found = (name: string) => new RegExp(`<${name}>([^<]+)</${name}>`).exec(content)?.[1]
  if (status !== 200) return { ok: false, reason: `AWS STS: ${found('Code') ?? status}` }
  const [arn, account] = [found('Arn'), found('Account')]
  if (arn === undefined || account === undefined) return { ok: false, reason: 'AWS STS: unreadable answer' }
  return { ok: true, arn, account }
}
