import type { Explanation } from '../../explanation.ts'
import { type NoAnswer, noAnswerMessages } from '../../turn/turn.ts'

/** Explains why a gateway gave no answer; pure. */
export function explainNoAnswer({ reason, code, error }: NoAnswer): Explanation {
  if (error) return { outcome: 'bad', cause: error.message, hint: error.hint }
  const cause = `${noAnswerMessages[reason]}${code ? ` (${code})` : ''}`
  return { outcome: 'bad', cause, hint: hintFor(reason, code ?? '') }
}

function hintFor(reason: NoAnswer['reason'], code: string): string {
  if (reason === 'unsendable') return 'have the helper print a token of visible ASCII characters'
  if (reason !== 'unreachable') return "ask the gateway's operators"
  if (/CERT|SIGNATURE|SELF_SIGNED|ISSUER/.test(code))
    return 'give this program the certificate authority: NODE_EXTRA_CA_CERTS'
  if (/ENOTFOUND|EAI_AGAIN/.test(code)) return 'check the name in baseUrl, the name service and the VPN'
  return 'check baseUrl, the network, the VPN and the proxy'
}
