import type { BigIntStats, Stats } from 'node:fs'
import { type Look, type LookKind, readExactStatus, readLinkStatus, readStatus, readWith } from '../../runtime/disk.ts'
import { digestFingerprint } from '../../runtime/files/fingerprint.ts'
import { computeLastChange, renderState, settledAfterMs } from '../../runtime/program/file-state.ts'
import { isIdentityVariable, listNames, type NameList } from '../../runtime/program/identity-variables.ts'
import type { Environment } from '../../runtime/run-process.ts'

/** A file that a call has looked at: its path, the kind of look, and the status that it saw, which is empty for a missing file. */
export type SeenFile = readonly [path: string, kind: LookKind, status: string]

/**
 * Records the state of a file as a call has seen it; `undefined` if a later look could miss a change, because it is not a regular file, it
 * changed when the call began or later, or its modification time has no fraction of a second.
 */
export function toSeenFile({ path, kind, found }: Look, startedAt: number): SeenFile | undefined {
  if (found instanceof Error) return found.code === 'ENOENT' ? [path, kind, ''] : undefined
  if (kind === 'status' || kind === 'link status') return [path, kind, renderOwner(found)]
  return 'ctimeNs' in found && isSettled(found, startedAt) ? [path, kind, renderState(found)] : undefined
}

/**
 * Returns whether the same kind of look sees the same state now. A file that was opened is opened again, so that its permissions and a file
 * server are checked.
 */
export async function isUnchanged([path, kind, status]: SeenFile): Promise<boolean> {
  try {
    return (await readAgain(path, kind)) === status
  } catch (error) {
    return status === '' && (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

async function readAgain(path: string, kind: LookKind): Promise<string> {
  if (kind === 'status') return renderOwner(await readStatus(path))
  if (kind === 'link status') return renderOwner(await readLinkStatus(path))
  return readWith(path, kind, async (file) => renderState(await readExactStatus(file)))
}

/** Renders the parts of a status that must not change: the file's identity, its kind, and its permissions. */
function renderOwner({ dev, ino, mode, uid }: Stats | BigIntStats): string {
  return `${dev} ${ino} ${mode} ${uid}`
}

function isSettled(status: BigIntStats, startedAt: number): boolean {
  return status.isFile() && computeLastChange(status) <= startedAt - settledAfterMs
}

/** The variables that a call has read, set or not, and a digest of their values. */
export interface SeenVariables {
  readonly names: readonly string[]
  /** The groups of names for which the call listed the variables that are set. */
  readonly lists: readonly NameList[]
  readonly digest: string
}

/** Digests the present values of these variables, for the memo and for the comparison with it. */
export function toSeenVariables(env: Environment, names: readonly string[], lists: readonly NameList[]): SeenVariables {
  const values = names.map((name) => env[name] ?? null)
  const listed = lists.map((list) => listNames(env, list))
  return { names, lists, digest: digestFingerprint(JSON.stringify([values, listed])) }
}

/**
 * Returns whether a variable certainly holds no secret, so that a digest of its value may be written. Its name decides: a setting of
 * Gatepass, of the AWS tools or of the system, or a path or name in the settings of another tool. An address with a user name or a query
 * does not qualify.
 */
export function isPublicVariable(name: string, value: string): boolean {
  if (value === '') return true
  const isSetting = settings.test(name) || (isIdentityVariable(name) && locations.test(name))
  return isSetting && (pathsAndUrls.test(name) || !secrets.test(name)) && !/[@?]/.test(value)
}

const settings =
  /^(GATEPASS_|AWS_|XDG_|SSL_CERT_|NODE_EXTRA_CA_CERTS$|HOME$|USERPROFILE$|APPDATA$|LOCALAPPDATA$|ProgramFiles$|ProgramData$|(no|https?|all)_proxy$)/i
const locations =
  /^(USER|LOGNAME|SUDO_USER|SHELL|USERNAME|USERDOMAIN|HOMEDRIVE|HOMEPATH|GNUPGHOME|KUBECONFIG|KRB5CCNAME|KRB5_CONFIG|CLOUDSDK_CONFIG|DOCKER_CONFIG)$|_(FILE|PATH|DIR|HOME|SOCK|BUNDLE|HOST|ADDR|ADDRESS|REGION|PROFILE|CONFIG_NAME|NAMESPACE|CONTEXT|PROJECT|TENANT_ID|CLIENT_ID|SUBSCRIPTION_ID)$/i
const secrets = /KEY|SECRET|TOKEN|(?<!GATE)PASS|PWD|PIN(?!G)|OTP|CODE|CRED|AUTH|JWT|ASSERTION|HEADER|COOKIE|COMMAND/i
const pathsAndUrls = /_(FILE|PATH|DIR|SOCK)$|^AWS_ENDPOINT_URL_/i
