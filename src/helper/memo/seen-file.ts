import type { BigIntStats, Stats } from 'node:fs'
import { type Look, type LookKind, readExactStatus, readLinkStatus, readStatus, readWith } from '../../runtime/disk.ts'
import { digestFingerprint } from '../../runtime/files/fingerprint.ts'
import { findLastChange, renderState, settledAfterMs } from '../../runtime/program/file-state.ts'
import { isIdentityVariable, listNames, type NameList } from '../../runtime/program/identity-variables.ts'
import type { Environment } from '../../runtime/run-process.ts'

/** A file that a call has looked at: its path, how it looked, and the status that it saw; an empty one where there was no file. */
export type SeenFile = readonly [path: string, kind: LookKind, status: string]

/**
 * The state of a file as a call has seen it; `undefined` where a later look could miss a change: it is not a regular file, it
 * changed when the call began or later, or its times have no part below the second.
 */
export function toSeenFile({ path, kind, found }: Look, startedAt: number): SeenFile | undefined {
  if (found instanceof Error) return found.code === 'ENOENT' ? [path, kind, ''] : undefined
  if (kind === 'status' || kind === 'link status') return [path, kind, renderOwner(found)]
  return 'ctimeNs' in found && isSettled(found, startedAt) ? [path, kind, renderState(found)] : undefined
}

/** Whether a look like the earlier one sees the same now. It is opened as it was, so that its permissions and a file server are asked. */
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

/** The parts of a status that count: which file it is, of which kind, and who may do what with it. */
function renderOwner({ dev, ino, mode, uid }: Stats | BigIntStats): string {
  return `${dev} ${ino} ${mode} ${uid}`
}

function isSettled(status: BigIntStats, startedAt: number): boolean {
  return status.isFile() && findLastChange(status) <= startedAt - settledAfterMs
}

/** The variables that a call has asked for, set or not, and a digest of their values. */
export interface SeenVariables {
  readonly names: readonly string[]
  /** The groups of names of which the call listed the variables that are set. */
  readonly lists: readonly NameList[]
  readonly digest: string
}

/** Reads the same variables again. */
export function toSeenVariables(env: Environment, names: readonly string[], lists: readonly NameList[]): SeenVariables {
  const values = names.map((name) => env[name] ?? null)
  const listed = lists.map((list) => listNames(env, list))
  return { names, lists, digest: digestFingerprint(JSON.stringify([values, listed])) }
}

/**
 * Whether a variable's value is certainly not a secret, so that its digest may be written: a setting of ours, of the AWS tools or of
 * the system, or a place or name in the settings of another tool, by its name, and without what would be a user or a query in an
 * address.
 */
export function isPublicVariable(name: string, value: string): boolean {
  if (value === '') return true
  const isSetting = settings.test(name) || (isIdentityVariable(name) && locations.test(name))
  return isSetting && (isPath.test(name) || !secrets.test(name)) && !/[@?]/.test(value)
}

const settings =
  /^(GATEPASS_|AWS_|XDG_|SSL_CERT_|NODE_EXTRA_CA_CERTS$|HOME$|USERPROFILE$|APPDATA$|LOCALAPPDATA$|ProgramFiles$|ProgramData$|(no|https?|all)_proxy$)/i
const locations =
  /^(USER|LOGNAME|SUDO_USER|SHELL|USERNAME|USERDOMAIN|HOMEDRIVE|HOMEPATH|GNUPGHOME|KUBECONFIG|KRB5CCNAME|KRB5_CONFIG|CLOUDSDK_CONFIG|DOCKER_CONFIG)$|_(FILE|PATH|DIR|HOME|SOCK|BUNDLE|HOST|ADDR|ADDRESS|REGION|PROFILE|CONFIG_NAME|NAMESPACE|CONTEXT|PROJECT|TENANT_ID|CLIENT_ID|SUBSCRIPTION_ID)$/i
const secrets = /KEY|SECRET|TOKEN|(?<!GATE)PASS|PWD|PIN(?!G)|OTP|CODE|CRED|AUTH|JWT|ASSERTION|HEADER|COOKIE|COMMAND/i
const isPath = /_(FILE|PATH|DIR|SOCK)$|^AWS_ENDPOINT_URL_/i
