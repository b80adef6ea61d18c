// Folder: console sign-ins (`login_session`): their file, renewing them with a proof of their key (DPoP), and signing a person in.

import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { Secret } from '../../../runtime/secret.ts'
import { isText, parseObject, toObject } from '../../../runtime/values/json-value.ts'
import { isRegionName } from '../endpoint-settings.ts'
import { renderCliTime, renderPythonJson } from '../files/shared-file.ts'
import type { TemporaryKeys } from '../request/signing-keys.ts'
import type { LoginTokens } from './exchange-grant.ts'

/** The content of the file of a console sign-in. */
export interface LoginSession {
  /** The credentials, which live 15 minutes (`signing-in-to-aws` of aws/agent-toolkit-for-aws). */
  readonly credentials: TemporaryKeys
  readonly clientId: string
  readonly refreshToken: Secret
  /** The key to which the refresh token is bound. */
  readonly key: KeyObject
  /** The sign-in address, if the file has it; newer AWS tools write it. */
  readonly region: string | undefined
  /** The whole file, so that members of other tools survive a renewal. */
  readonly members: Readonly<Record<string, unknown>>
}

/** Returns whether the credentials need no renewal. @param now In milliseconds since the epoch. */
export function isFresh({ credentials }: Pick<LoginSession, 'credentials'>, now: number): boolean {
  return credentials.expiration.getTime() - now > renewalMs
}

/** In milliseconds: credentials with less life left are renewed, as in the AWS tools. */
const renewalMs = 5 * 60_000

/** Parses the file; `undefined` if a member that botocore requires is missing or malformed. */
export function parseLoginSession(text: string): LoginSession | undefined {
  const members = parseObject(text)
  const credentials = parseCredentials(members?.accessToken)
  const clientId = toText(members?.clientId)
  const refreshToken = toText(members?.refreshToken)
  const key = parseDpopKey(toText(members?.dpopKey) ?? '')
  const region = toText(members?.signInRegion)
  if (!members || !credentials || !clientId || !refreshToken || !key) return undefined
  return {
    credentials,
    clientId,
    key,
    members,
    refreshToken: new Secret(refreshToken),
    region: region !== undefined && isRegionName(region) ? region : undefined,
  }
}

function parseCredentials(value: unknown): TemporaryKeys | undefined {
  const members = toObject(value)
  const accessKeyId = toText(members.accessKeyId)
  const secretAccessKey = toText(members.secretAccessKey)
  const sessionToken = toText(members.sessionToken)
  const expiration = new Date(toText(members.expiresAt) ?? '')
  if (!accessKeyId || !secretAccessKey || !sessionToken || Number.isNaN(expiration.getTime())) return undefined
  return {
    accessKeyId,
    expiration,
    secretAccessKey: new Secret(secretAccessKey),
    sessionToken: new Secret(sessionToken),
    account: toText(members.accountId),
  }
}

/** Renders the file after a renewal, byte for byte as botocore writes it. Members keep their places. */
export function renderRenewed({ members }: Pick<LoginSession, 'members'>, tokens: LoginTokens, now: number): string {
  const { accountId } = toObject(members.accessToken)
  return renderPythonJson({
    ...members,
    accessToken: toKeptAccessToken(tokens, accountId, now),
    refreshToken: tokens.refreshToken.reveal(),
  })
}

/** Renders the file of a new sign-in, byte for byte as the AWS CLI writes it (AWS CLI 2.36, `customizations/login/utils.py`). */
export function renderSignedIn(
  tokens: LoginTokens,
  { clientId, account, dpopKey }: { clientId: string; account: string; dpopKey: string },
  now: number,
): string {
  return renderPythonJson({
    accessToken: toKeptAccessToken(tokens, account, now),
    tokenType: tokens.tokenType,
    clientId,
    refreshToken: tokens.refreshToken.reveal(),
    idToken: tokens.idToken?.reveal(),
    dpopKey,
  })
}

function toKeptAccessToken(tokens: LoginTokens, accountId: unknown, now: number): object {
  return {
    accessKeyId: tokens.accessKeyId,
    secretAccessKey: tokens.secretAccessKey.reveal(),
    sessionToken: tokens.sessionToken.reveal(),
    accountId,
    expiresAt: renderCliTime(now + tokens.expiresInSec * 1000),
  }
}

function toText(value: unknown): string | undefined {
  return isText(value) ? value : undefined
}

/** Creates a key for the proofs of one sign-in. AWS accepts P-256 only. */
export function createDpopKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
}

/** Renders the key as the AWS CLI stores it: PEM in the form of SEC 1 (RFC 5915), with lines of 64 characters. */
export function renderDpopKey(key: KeyObject): string {
  return key.export({ format: 'pem', type: 'sec1' }).toString()
}

/** Parses the private key in a PEM of any form; `undefined` for another kind of key and for any other text. */
function parseDpopKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem)
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined
  } catch {
    return undefined // not a private key
  }
}
