import type { GatewaySilence } from '../turn/turn.ts'
import type { Explanation } from './explain-answer.ts'

/** Why there was no answer at all. */
export function explainSilence({ silence, code, trouble }: GatewaySilence): Explanation {
  if (trouble) return { outcome: 'bad', cause: trouble.message, hint: trouble.hint }
  const what = `${silenceWords[silence]}${code ? ` (${code})` : ''}`
  return { outcome: 'bad', cause: what, hint: hintFor(silence, code ?? '') }
}

const silenceWords = {
  unreachable: 'the gateway cannot be reached',
  unsendable: 'the token or a header holds what HTTP cannot carry',
  idle: 'the answer carried only signs of life',
  broken: 'the gateway reported an error in the middle of its answer',
} as const

function hintFor(silence: GatewaySilence['silence'], code: string): string {
  if (silence === 'unsendable') return 'have the helper print a token of visible ASCII'
  if (silence !== 'unreachable') return "ask the gateway's operators"
  if (/CERT|SIGNATURE|SELF_SIGNED|ISSUER/.test(code))
    return 'give this program the certificate authority: NODE_EXTRA_CA_CERTS'
  if (/ENOTFOUND|EAI_AGAIN/.test(code)) return 'check the name in baseUrl, the name service and the VPN'
  return 'check baseUrl, the network, the VPN and the proxy'
}
