import type { CredentialKind } from '../../../config/document.ts'
import { HelperError } from '../../../runtime/failure.ts'

/** What may be said on the command line of `gatepass config init`. */
export interface InitFlags {
  readonly kind?: CredentialKind
  readonly baseUrl?: string
  readonly helper?: string
  readonly command?: string
  readonly commandWindows?: string
  readonly arg?: readonly string[]
  readonly ttl?: string
  readonly apiKeyFile?: string
  readonly authScheme?: 'bearer' | 'x-api-key'
  readonly authFlow?: 'browser' | 'broker'
  readonly clientId?: string
  readonly issuer?: string
  readonly authorizationUrl?: string
  readonly tokenUrl?: string
  readonly scopes?: string
  readonly bearerTokenType?: 'id_token' | 'access_token'
  readonly offlineAccess?: false
  readonly resource?: string
  readonly redirectPort?: string
  readonly redirectHost?: '127.0.0.1' | 'localhost'
  readonly additionalRedirectReferrerHosts?: string
}

const ofHelper = ['helper', 'command', 'commandWindows', 'arg', 'ttl'] as const

/** The flags about an identity provider. */
export const oidcFlags = [
  'clientId',
  'issuer',
  'authorizationUrl',
  'tokenUrl',
  'scopes',
  'bearerTokenType',
  'offlineAccess',
  'resource',
  'redirectPort',
  'redirectHost',
  'additionalRedirectReferrerHosts',
] as const
const ofSignIn = ['authFlow', ...oidcFlags] as const

/** The flags that each kind of credential has. */
const flagsByKind: Readonly<Record<CredentialKind, readonly (keyof InitFlags)[]>> = {
  static: ['apiKeyFile', 'authScheme'],
  interactive: ofSignIn,
  'external-idp': ofSignIn,
  'helper-script': ofHelper,
}

/** @throws {HelperError} `usage` for a flag that the kind does not have: it would be left out without a word. */
export function refuseOtherFlags(flags: InitFlags, kind: CredentialKind): void {
  const others = Object.values(flagsByKind)
    .flat()
    .filter((name) => !flagsByKind[kind].includes(name))
  const found = others.find((name) => flags[name] !== undefined)
  if (found === undefined) return
  const kinds = Object.entries(flagsByKind).filter(([, names]) => names.includes(found))
  throw new HelperError(
    'usage',
    `${toFlag(found)} does not go with the kind ${kind}`,
    `leave it out, or pass --kind ${kinds.map(([name]) => name).join(' or ')}`,
  )
}

/** The only kind that the flags fit, where they fit one. */
export function findKindOfFlags(flags: InitFlags): CredentialKind | undefined {
  if (flags.apiKeyFile !== undefined) return 'static'
  return ofHelper.some((name) => flags[name] !== undefined) ? 'helper-script' : undefined
}

function toFlag(name: string): string {
  if (name === 'offlineAccess') return '--no-offline-access'
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}
