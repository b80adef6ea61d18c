import type { CredentialKind } from '../../../config/field.ts'
import type { HelperClient } from '../../../contract/client.ts'
import type { ClientName } from '../../../contract/clients.ts'
import type { AuthScheme } from '../../../contract/headers.ts'
import { toKebabCase } from '../../../contract/identity-providers/provider-settings.ts'
import type { BearerTokenType, RedirectHost } from '../../../contract/oauth-names.ts'
import type { OptionTable } from '../../../helper/options/option-table.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { programName } from '../../../version.ts'
import { toFlag } from '../../option-values.ts'

/** The flags of `gatepass config init`. */
export interface InitFlags
  extends Readonly<Partial<Record<Exclude<OidcFlag, 'bearerTokenType' | 'offlineAccess' | 'redirectHost'>, string>>> {
  readonly client?: ClientName
  readonly kind?: CredentialKind
  readonly baseUrl?: string
  readonly helper?: string
  readonly command?: string
  readonly commandWindows?: string
  readonly arg?: readonly string[]
  readonly ttl?: string
  readonly apiKeyFile?: string
  readonly authScheme?: AuthScheme
  readonly authFlow?: 'browser' | 'broker'
  readonly bearerTokenType?: BearerTokenType
  readonly offlineAccess?: false
  readonly redirectHost?: RedirectHost
  readonly name?: string
  readonly wrapper?: string
}

const helperFlags = ['helper', 'command', 'commandWindows', 'arg', 'ttl'] as const

/** The flags for an identity provider. */
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
const signInFlags = ['authFlow', ...oidcFlags] as const

const flagsByKind: Readonly<Record<CredentialKind, readonly (keyof InitFlags)[]>> = {
  static: ['apiKeyFile', 'authScheme'],
  interactive: signInFlags,
  'external-idp': signInFlags,
  'helper-script': helperFlags,
}

/**
 * @param options The options of the chosen helper: flags for an identity provider become arguments if the helper has such options.
 * @throws {HelperError} `usage` for a flag that the kind does not have, because it would be ignored silently.
 */
export function refuseFlagsOfOtherKinds(flags: InitFlags, kind: CredentialKind, options: OptionTable = {}): void {
  const optionFlags = kind === 'helper-script' ? oidcFlags.filter((name) => Object.hasOwn(options, toOption(name))) : []
  const permitted: readonly (keyof InitFlags)[] = [...flagsByKind[kind], ...optionFlags]
  const others = Object.values(flagsByKind)
    .flat()
    .filter((name) => !permitted.includes(name))
  const found = others.find((name) => flags[name] !== undefined)
  if (found === undefined) return
  const kinds = Object.entries(flagsByKind).filter(([, names]) => names.includes(found))
  throw new HelperError(
    'usage',
    `${toInitFlag(found)} does not go with the kind ${kind}`,
    `remove it, or pass --kind ${kinds.map(([name]) => name).join(' or ')}`,
  )
}

/** Finds the only kind that fits the flags; `undefined` unless there is exactly one. */
export function findKindOfFlags(flags: InitFlags): CredentialKind | undefined {
  if (flags.apiKeyFile !== undefined) return 'static'
  return helperFlags.some((name) => flags[name] !== undefined) ? 'helper-script' : undefined
}

/** Returns the flags for an identity provider as arguments of a helper. */
export function toProviderArguments(flags: InitFlags): string[] {
  return oidcFlags.flatMap((name) => (flags[name] === undefined ? [] : toArguments(toOption(name), `${flags[name]}`)))
}

/** Returns one or two arguments: a value that begins like an option is written with "=". */
export function toArguments(option: string, value: string): string[] {
  return value.startsWith('--') ? [`--${option}=${value}`] : [`--${option}`, value]
}

/** A flag for an identity provider; the value is any text unless {@link InitFlags} says more. */
type OidcFlag = (typeof oidcFlags)[number]

/** Returns the name of a helper's option for an identity provider's flag. */
function toOption(name: OidcFlag): string {
  return name === 'offlineAccess' ? 'append-offline-access' : toKebabCase(name)
}

/** Returns a flag of `config init` as it is written on the command line. */
function toInitFlag(name: string): string {
  return name === 'offlineAccess' ? '--no-offline-access' : toFlag(name)
}

/**
 * @param options The options of the chosen helper.
 * @throws {HelperError} `usage` for a flag that the client's configuration cannot contain.
 */
export function refuseFlagsOfOtherClients(
  { title, refresh, start, hosts, entries }: HelperClient,
  flags: InitFlags,
  options: OptionTable = {},
): void {
  const wrong: readonly (keyof InitFlags | false)[] = [
    'kind',
    hosts === 'any' && 'baseUrl',
    refresh.intervalSetting === undefined && 'ttl',
    start !== 'path' && 'wrapper',
    entries === 'one' && 'name',
  ]
  const found = wrong.find((flag) => flag !== false && flags[flag] !== undefined)
  if (found) throw new HelperError('usage', `${toInitFlag(found)} does not go with ${title}`, 'remove it')
  if (refresh.onZeroInterval === undefined) refuseZero(flags, title)
  refuseFlagsOfOtherKinds(flags, 'helper-script', options)
}

/** A ttl of 0 is valid only for clients that then run the helper only after a refusal. */
function refuseZero({ ttl }: InitFlags, title: string): void {
  if (ttl !== '0') return
  throw new HelperError('usage', `--ttl 0 means nothing to ${title}`, 'pass a whole number of seconds above 0')
}

/** @throws {HelperError} `usage` for a flag that only other clients' configurations can contain. */
export function refuseClientFlags(flags: InitFlags): void {
  const { name, wrapper } = flags
  refuseZero(flags, 'the desktop client')
  const found = name !== undefined ? '--name' : wrapper !== undefined ? '--wrapper' : undefined
  if (found === undefined) return
  throw new HelperError(
    'usage',
    `${found} does not go with a document`,
    `remove it, or pass --client; see: ${programName} config init --help`,
  )
}
