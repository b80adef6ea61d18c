import { type Environment, listNames } from '../../runtime/environment.ts'
import { digestFingerprint } from '../../runtime/private/fingerprint.ts'

/** The variables that a call has asked for, set or not, and a digest of their values. */
export interface SeenVariables {
  readonly names: readonly string[]
  /** It also asked which variables begin with one of these. */
  readonly prefixes: readonly string[]
  readonly digest: string
}

/** Reads the same variables again. */
export function toSeenVariables(
  env: Environment,
  names: readonly string[],
  prefixes: readonly string[],
): SeenVariables {
  const values = names.map((name) => env[name] ?? null)
  const lists = prefixes.map((prefix) => listNames(env, prefix))
  return { names, prefixes, digest: digestFingerprint(JSON.stringify([values, lists])) }
}

/**
 * Whether a variable's value is certainly no secret, so that its digest may be written: a setting of ours, of the AWS tools or of
 * the system, by its name, and without what would be a user or a query in an address.
 */
export function isPublicVariable(name: string, value: string): boolean {
  if (value === '') return true
  return settings.test(name) && (isPath.test(name) || !secrets.test(name)) && !/[@?]/.test(value)
}

const settings =
  /^(GATEPASS_|AWS_|XDG_|SSL_CERT_|NODE_EXTRA_CA_CERTS$|HOME$|USERPROFILE$|APPDATA$|LOCALAPPDATA$|ProgramFiles$|ProgramData$|(no|https?|all)_proxy$)/i
const secrets = /KEY|SECRET|TOKEN|(?<!GATE)PASS|PWD|PIN(?!G)|OTP|CODE|CRED|AUTH|JWT|ASSERTION|HEADER|COOKIE|COMMAND/i
const isPath = /_(FILE|PATH|DIR)$|^AWS_ENDPOINT_URL_/i
