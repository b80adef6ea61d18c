import { toOidcSettings as fromDocument } from '../../../src/client/credentials/find-sign-in.ts'
import { parseOptionFile } from '../../../src/helper/options/files.ts'
import { resolveOptions } from '../../../src/helper/options/resolve.ts'
import { commonOptions } from '../../../src/helper/options/table.ts'
import type { OidcSettings } from '../../../src/sources/oauth/oidc/settings.ts'
import { type OidcTokenOptions, oidcTokenOptions } from '../../../src/sources/oidc-token/options.ts'
import { toOidcSettings as fromOptions } from '../../../src/sources/oidc-token/to-settings.ts'
import type { ShownProvider } from './page.ts'

/** With what the client signs in that gets the document of a section. */
export function toDocumentSettings({ document }: ShownProvider): OidcSettings {
  const settings = fromDocument(JSON.parse(document).inference.credential.oidc)
  if (!settings) throw new Error('the document names no provider')
  return settings
}

/** With what `oidc-token` signs in that has the settings of a section in its file. */
export function toHelperSettings({ helper }: ShownProvider): OidcSettings {
  const table = { ...oidcTokenOptions, ...commonOptions }
  const resolved = resolveOptions('oidc-token', table, {
    arguments: new Map(),
    user: parseOptionFile('page', 'user', table, helper),
  })
  const options = Object.fromEntries([...resolved].map(([name, { value }]) => [name, value]))
  return fromOptions(options as OidcTokenOptions, 'oidc-token') // every option of the table has been resolved
}
