import { createHash } from 'node:crypto'
import type { SigningKey } from '../bedrock/sigv4-verify.ts'

export interface AccessKey extends SigningKey {
  accessKeyId: string
  /** The owner of the key: a user, or an assumed role's session. */
  arn: string
}

export type TemporaryKey = Required<AccessKey>

/** The caller that assumes a role: a signer, or the bearer of a JWT. */
export type RoleCaller =
  | { kind: 'signer'; arn: string }
  | { kind: 'web-identity'; issuer: string; subject: string; audience: string }

export interface Role {
  arn: string
  /** ARNs (of users, roles or sessions) and issuers, or a rule of the test's own. Everyone, if left out. */
  trusts?: readonly string[] | ((caller: RoleCaller) => boolean)
  /** 3600 as in AWS, if left out. */
  maxDurationSec?: number
  externalId?: string
}

/**
 * The identities in the stand-in's accounts. Key ids, secrets and session tokens are the same in every run, by order of issue.
 */
export interface AwsIdentities {
  addAccessKey(key: Pick<AccessKey, 'arn'> & Partial<AccessKey>): AccessKey
  addRole(role: Role): void
  findKey(accessKeyId: string): AccessKey | undefined
  findRole(arn: string): Role | undefined
  /** New temporary credentials, with which a later request can be signed. */
  issueKey(arn: string, expiration: Date): TemporaryKey
}

export function createAwsIdentities(): AwsIdentities {
  const keys = new Map<string, AccessKey>()
  const roles = new Map<string, Role>()
  const remember = <Key extends AccessKey>(key: Key): Key => {
    keys.set(key.accessKeyId, key)
    return key
  }
  return {
    addAccessKey: (key) => remember({ ...createKeyPair('AKIA', keys.size + 1), ...key }),
    addRole: (role) => void roles.set(role.arn, role),
    findKey: (accessKeyId) => keys.get(accessKeyId),
    findRole: (arn) => roles.get(arn),
    issueKey: (arn, expiration) => {
      const pair = createKeyPair('ASIA', keys.size + 1)
      return remember({ ...pair, sessionToken: renderSessionToken(pair.accessKeyId), expiration, arn })
    },
  }
}

export function isTrusted({ trusts }: Role, caller: RoleCaller): boolean {
  if (trusts === undefined) return true
  if (typeof trusts === 'function') return trusts(caller)
  if (caller.kind === 'web-identity') return trusts.includes(caller.issuer)
  return trusts.includes(caller.arn) || trusts.some((trusted) => isSessionOf(caller.arn, trusted))
}

/** Renders `arn:aws:sts::1:assumed-role/build/s1` for role `arn:aws:iam::1:role/build` (whose path STS leaves out) and session `s1`. */
export function renderSessionArn(roleArn: string, sessionName: string): string {
  const [, partition, , , account, resource = ''] = roleArn.split(':')
  return `arn:${partition}:sts::${account}:assumed-role/${resource.split('/').at(-1)}/${sessionName}`
}

export function parseAccountId(arn: string): string {
  return arn.split(':')[4] ?? ''
}

/** Renders `AIDA…` for a user, `AROA…:session` for a role's session: the same for the same identity. */
export function renderUserId(arn: string): string {
  const [, role, session] = /:assumed-role\/([^/]+)\/(.+)$/.exec(arn) ?? []
  if (role === undefined) return `AIDA${renderUniqueId(arn)}`
  return `AROA${renderUniqueId(`${parseAccountId(arn)}/${role}`)}:${session}`
}

export function isRoleSession(arn: string): boolean {
  return arn.includes(':assumed-role/')
}

function isSessionOf(sessionArn: string, roleArn: string): boolean {
  return roleArn.includes(':role/') && sessionArn.startsWith(renderSessionArn(roleArn, ''))
}

/** Creates an ID of 16 characters after the prefix and a secret of 40, as AWS's own. */
function createKeyPair(prefix: 'AKIA' | 'ASIA', number: number) {
  const accessKeyId = `${prefix}STANDIN${String(number).padStart(9, '0')}`
  return { accessKeyId, secretAccessKey: digest(accessKeyId).toString('base64').slice(0, 40) }
}

/** Renders some 700 characters with `+`, `/` and `=` in them: real tokens break careless encoders and small header limits. */
function renderSessionToken(accessKeyId: string): string {
  const bytes = Array.from({ length: 16 }, (_, index) => digest(`${accessKeyId}/${index}`))
  return `IQoJb3JpZ2luX2Vj${Buffer.concat(bytes).toString('base64')}`
}

function renderUniqueId(text: string): string {
  return digest(text).toString('hex').slice(0, 17).toUpperCase()
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
