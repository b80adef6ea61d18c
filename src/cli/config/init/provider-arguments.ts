import { chooseSettings, describeSettings } from '../../../contract/identity-providers/choose-settings.ts'
import { detectProviderFamily } from '../../../contract/identity-providers/detect-family.ts'
import type { ProviderSettings } from '../../../contract/identity-providers/provider-settings.ts'
import type { AnyHelper } from '../../../helper/define-helper.ts'
import { parseArguments } from '../../../helper/options/arguments.ts'
import { resolveOptions } from '../../../helper/options/resolve.ts'
import { commonOptions } from '../../../helper/options/table.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { findHelperProvider } from '../../helper-provider.ts'

/** A helper with the arguments that it has so far. */
interface Configured {
  readonly name: string
  readonly helper: AnyHelper
  readonly args: readonly string[]
}

/** What the identity provider of a helper needs, beyond its arguments so far; none for another helper. */
export async function chooseProviderArguments(configured: Configured): Promise<string[]> {
  const provider = await findProvider(configured)
  if (!provider) return []
  const { redirectHost, redirectPort, appendOfflineAccess } = chooseSettings(provider)
  const { parameters = {} } = detectProviderFamily(provider)
  const wanted: [option: string, value: unknown][] = [
    ['redirect-host', redirectHost],
    ['redirect-port', redirectPort],
    ['append-offline-access', appendOfflineAccess],
    // Only a refresh token that is kept needs them.
    ...(provider.keepsRefreshToken ? Object.entries(parameters) : [])
      .filter(([name]) => provider.parameters?.[name] === undefined)
      .map(([name, value]): [string, string] => ['authorization-parameter', `${name}=${value}`]),
  ]
  return wanted.flatMap(([option, value]) =>
    value === undefined || (option !== 'authorization-parameter' && isSaid(configured.args, option))
      ? []
      : [`--${option}`, String(value)],
  )
}

function isSaid(args: readonly string[], option: string): boolean {
  return args.some((arg) => arg === `--${option}` || arg.startsWith(`--${option}=`))
}

/** How the helper is registered with its provider, as sentences; none for another helper or an unknown provider. */
export async function describeHelperProvider(configured: Configured): Promise<string[]> {
  const provider = await findProvider(configured)
  return provider ? describeSettings(provider) : []
}

/** Wrong arguments are reported by the check of the whole document. */
async function findProvider({ name, helper, args }: Configured): Promise<ProviderSettings | undefined> {
  const table = { ...commonOptions, ...helper.options }
  try {
    return findHelperProvider(resolveOptions(name, table, { arguments: await parseArguments(name, table, args) }))
  } catch (error) {
    if (error instanceof HelperError) return undefined
    throw error
  }
}
