import { findKeyService, findLongTermService } from '../../contract/aws/keys.ts'
import { vendor } from '../../vendor.ts'
import { secretMark } from '../secret.ts'
import { hideUrlSecrets } from './hide-secrets.ts'

/** Returns whether a header carries a credential, by the end of its name or by the beginning of its value. */
export function isCredentialHeader(name: string, value: string): boolean {
  return isCredentialName(name) || isCredentialText(value)
}

/** Returns whether a text begins like a credential. Issuers mark theirs, so that scanners find them. */
export function isCredentialText(text: string): boolean {
  const start = text.trimStart()
  const service = findKeyService(start) ?? findLongTermService(start)
  return (
    start.startsWith(vendor.keyPrefix) || service !== undefined || beginnings.some((beginning) => beginning.test(start))
  )
}

/**
 * Replaces each credential in the arguments of a program by a mark (by its form, the header that carries it, or the option before it), and
 * everything in a URL besides the address.
 */
export function hideArgumentSecrets(args: readonly string[]): string[] {
  return args.map((arg, at) => {
    const [, option, value] = /^--([\w-]+)=(.*)$/s.exec(arg) ?? []
    if (option !== undefined && value !== undefined) return `--${option}=${hideValue(option, value)}`
    const [, before] = /^--?([\w-]+)$/.exec(args[at - 1] ?? '') ?? []
    return arg.startsWith('--') ? arg : hideValue(before, arg)
  })
}

/** Replaces a value if it is a credential. @param option The option before the value; `undefined` if there is none. */
function hideValue(option: string | undefined, value: string): string {
  if (isCredentialText(value)) return secretMark
  const [, name, content] = /^([\w-]+):\s*(.*)$/s.exec(value) ?? []
  if (name !== undefined && content !== undefined && isCredentialHeader(name, content)) return `${name}: ${secretMark}`
  if (option === undefined) return hideUrlSecrets(value)
  return isCredentialName(option) || isUserWithPassword(option, value) ? secretMark : hideUrlSecrets(value)
}

/** Returns whether a value is `user:password` in curl's form. A number after a user is a group, as in `docker run`. */
function isUserWithPassword(option: string, value: string): boolean {
  return /^(u|U|user|proxy-user)$/.test(option) && /^[^:/]*:(?!\d{1,10}$)./s.test(value)
}

/** Returns whether a name is that of a credential, in any case, with or without hyphens. */
function isCredentialName(name: string): boolean {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()
  return nameEnds.some((end) => end.test(words)) && !harmlessKey.test(words)
}

const nameEnds = [
  /(token|secret|password|passwd|passphrase|jwt|credentials?|authorization|assertion|bearer|cookie2?)$/,
  /(^|[-_.])(key|auth|pwd)$/,
  /(api|access|secret|private|subscription|license|shared|master|account|auth|function|functions)key$/,
]

/** Names of keys that only route requests, and are not secrets. */
const harmlessKey = /(^|[-_.])(idempotency|routing|partition|shard|cache|sort)[-_.]?key$/

const beginnings = [
  /^(bearer|basic|digest|token|apikey|negotiate)\s+\S/i,
  /^aws4-hmac-sha256\s/i,
  /^eyJ[\w-]+\./, // JSON Web Token (RFC 7519)
  /^-----BEGIN /,
  /^(gh[opsur]_|github_pat_)\w/, // GitHub
  /^gl(pat|dt|rt|ptt|cbt|agent|oas|soat|ft)-\w/, // GitLab
  /^(AKIA|ASIA)[A-Z0-9]{4}/, // AWS access keys
  /^(k8s-aws-v1\.|eyJpYW1faHR0cF9)\w/, // proofs of an AWS identity
  /^[sr]k[-_]\S{3}/, // OpenAI, Anthropic, Stripe and others; a language such as sk-SK is shorter
  /^(AIza|ya29\.|GOCSPX-)\S/, // Google
  /^(xox[a-z]-|xapp-)\S/, // Slack
  /^(npm_|pypi-|hf_|hv[bs]\.|dop_v1_|shp(at|ca|pa|ss)_|SG\.|whsec_|glsa_|glc_|dapi|lin_api_|sntrys_|figd_|atl_|ATATT)\w/,
]
